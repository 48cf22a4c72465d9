// Tests for the stored devices: one that cannot be written holds up no other, and is written later.
import assert from "node:assert/strict";
import { StoreError } from "../../../src/errors";
import type { Device, Devices } from "../../../src/mqtt/home-assistant/device";
import type { ReadingsDevice } from "../../../src/mqtt/home-assistant/readings";
import { StoredDevices } from "../../../src/mqtt/home-assistant/stored-devices";
import { MINUTE } from "../../../src/time-units";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

const device = (systemId: string, value = 0): ReadingsDevice => ({
  kind: "readings",
  id: `p__s__${systemId}`,
  profile: { siteId: "s", systemId, entities: [], basis: {} },
  counters: { "grid/lifetimeImportedEnergy": { value, end: NOW } },
  retained: [],
});

describe("stored devices", () => {
  let states: Map<string, Device>;
  let attempts: string[];
  let refused: string | undefined;
  let stored: StoredDevices;

  const attempt = async (name: string, change: () => void): Promise<void> => {
    attempts.push(name);
    await Promise.resolve();
    if (name === refused) throw new StoreError("storeWritten", { reason: "full" });
    change();
  };
  const group = {
    load: () => Promise.resolve([...states.values()]),
    save: (name: string, state: Device) => attempt(name, () => states.set(name, state)),
    remove: (name: string) => attempt(name, () => states.delete(name)),
  };
  const ids = (...names: string[]): string[] => names.map((name) => `p__s__${name}`);
  const devicesOf = (...devices: Device[]): Devices => new Map(devices.map((one) => [one.id, one]));

  beforeEach(() => {
    states = new Map();
    attempts = [];
    refused = undefined;
    stored = new StoredDevices(group);
  });

  it("are loaded with a site before its systems", async () => {
    states.set("1", device("a"));
    states.set("2", { ...device("a"), id: "p__s", profile: { siteId: "s", entities: [], basis: {} } });
    assert.deepEqual([...(await stored.load(NOW)).keys()], ["p__s", "p__s__a"]);
  });

  it("are written and removed one by one", async () => {
    const devices = devicesOf(device("a"), device("b"));
    await stored.save(devices, NOW);
    await stored.save(new Map([...devices, ...devicesOf(device("c"))]), NOW);
    await stored.save(devicesOf(device("c")), NOW);
    assert.deepEqual(attempts, ids("a", "b", "c", "c", "a", "b"));
    assert.deepEqual([...states.keys()], ids("c"));
  });

  it("hold up no other when one cannot be written, and are tried again, one attempt for each record", async () => {
    [refused] = ids("a");
    const devices = devicesOf(device("a"), device("b"), device("c"));
    await assert.rejects(stored.save(devices, NOW), { code: "ENERGY_STORE" });
    await assert.rejects(stored.save(devices, NOW), { code: "ENERGY_STORE" });
    assert.deepEqual([...states.keys()], ids("b", "c"));
    await assert.rejects(stored.save(devices, NOW), { code: "ENERGY_STORE" });
    assert.equal(attempts.length, 5);
    refused = undefined;
    await stored.save(devices, NOW);
    assert.deepEqual([...states.keys()], ids("b", "c", "a"));
  });

  it("are removed although the first attempt fails", async () => {
    await stored.save(devicesOf(device("a")), NOW);
    [refused] = ids("a");
    await assert.rejects(stored.save(new Map(), NOW), { code: "ENERGY_STORE" });
    refused = undefined;
    await stored.save(new Map(), NOW);
    assert.equal(states.size, 0);
  });

  it("are written at once when site lists no longer contain them, and when they come back", async () => {
    const known = device("a");
    const saved = (): unknown => states.get("p__s__a")?.absence;
    for (const absence of [undefined, { since: NOW, lists: 1 }, undefined]) {
      await stored.save(devicesOf({ ...known, absence }), NOW);
      assert.deepEqual(saved(), absence);
    }
  });

  it("keep new counters for later, until the flush", async () => {
    const known = device("a");
    const withCounter = (value: number): Devices =>
      devicesOf({ ...known, counters: device("a", value).counters });
    const saved = (): number | undefined => {
      const state = states.get(known.id);
      return state?.kind === "readings" ? state.counters["grid/lifetimeImportedEnergy"]?.value : undefined;
    };
    await stored.save(withCounter(1), NOW);
    await stored.save(withCounter(2), NOW + 14 * MINUTE);
    assert.equal(saved(), 1);
    await stored.save(withCounter(3), NOW + 15 * MINUTE);
    assert.equal(saved(), 3);
    await stored.save(withCounter(4), NOW + 16 * MINUTE);
    await stored.flush(NOW + 17 * MINUTE);
    assert.equal(saved(), 4);
    await stored.save(withCounter(5), NOW);
    assert.equal(saved(), 5, "the clock was set back");
  });

  it("are all flushed, each once", async () => {
    const many = Array.from({ length: 50 }, (_, index) => device(`n${index}`));
    await stored.save(devicesOf(...many), NOW);
    attempts = [];
    await stored.save(devicesOf(...many.map((one) => ({ ...one, counters: {} }))), NOW);
    await stored.flush(NOW);
    assert.equal(new Set(attempts).size, 50);
    assert.equal(attempts.length, 50);
  });
});
