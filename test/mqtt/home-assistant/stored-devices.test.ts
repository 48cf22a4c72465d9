// Tests for the stored devices: one that cannot be written holds up no other, and is written later.
import assert from "node:assert/strict";
import type { Device, Devices } from "../../../src/mqtt/home-assistant/device";
import { StoredDevices } from "../../../src/mqtt/home-assistant/stored-devices";
import { MINUTE } from "../../../src/time-units";
import { GroupDouble } from "../../support/group-double";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

const device = (systemId: string, value = 0): Device => ({
  id: `p__s__${systemId}`,
  profile: { siteId: "s", systemId, entities: [], basis: {}, units: {} },
  states: {},
  counters: { "grid/lifetimeImportedEnergy": { value, end: NOW } },
});

describe("stored devices", () => {
  let group: GroupDouble<Device>;
  let stored: StoredDevices;

  const ids = (...names: string[]): string[] => names.map((name) => `p__s__${name}`);
  const devicesOf = (...devices: Device[]): Devices => new Map(devices.map((one) => [one.id, one]));

  beforeEach(() => {
    group = new GroupDouble();
    stored = new StoredDevices(group);
  });

  it("are loaded by their ids", async () => {
    group.states.set("1", device("a"));
    assert.deepEqual([...(await stored.load())], [["p__s__a", device("a")]]);
  });

  it("are written and removed one by one", async () => {
    const devices = devicesOf(device("a"), device("b"));
    await stored.save(devices);
    await stored.save(new Map([...devices, ...devicesOf(device("c"))]));
    await stored.save(devicesOf(device("c")));
    assert.deepEqual(group.attempts, ids("a", "b", "c", "a", "b"));
    assert.deepEqual([...group.states.keys()], ids("c"));
  });

  it("hold up no other when one cannot be written, and are tried again, one attempt for each record", async () => {
    [group.refused] = ids("a");
    const devices = devicesOf(device("a"), device("b"), device("c"));
    await assert.rejects(stored.save(devices), { code: "ENERGY_STORE" });
    await assert.rejects(stored.save(devices), { code: "ENERGY_STORE" });
    assert.deepEqual([...group.states.keys()], ids("b", "c"));
    await assert.rejects(stored.save(devices), { code: "ENERGY_STORE" });
    assert.equal(group.attempts.length, 5);
    group.refused = undefined;
    await stored.save(devices);
    assert.deepEqual([...group.states.keys()], ids("b", "c", "a"));
  });

  it("are removed although the first attempt fails", async () => {
    await stored.save(devicesOf(device("a")));
    [group.refused] = ids("a");
    await assert.rejects(stored.save(new Map()), { code: "ENERGY_STORE" });
    group.refused = undefined;
    await stored.save(new Map());
    assert.equal(group.states.size, 0);
  });

  it("are written at once when site lists no longer contain them, and when they come back", async () => {
    const known = device("a");
    const saved = (): unknown => group.states.get("p__s__a")?.absence;
    for (const absence of [undefined, { since: NOW, lists: 1 }, undefined]) {
      await stored.save(devicesOf({ ...known, absence }));
      assert.deepEqual(saved(), absence);
    }
  });

  it("keep new counters for later, until the flush", async () => {
    const known = device("a");
    const withCounter = (value: number): Devices =>
      devicesOf({ ...known, counters: device("a", value).counters ?? {} });
    const saved = (): number | undefined => {
      return group.states.get(known.id)?.counters?.["grid/lifetimeImportedEnergy"]?.value;
    };
    await stored.save(withCounter(1));
    for (const value of [2, 3]) await stored.save(withCounter(value));
    assert.equal(saved(), 1);
    assert.deepEqual(
      [...group.waiting.values()].map(({ within }) => Math.round(within / MINUTE)),
      [15],
    );
    await group.flush();
    assert.equal(saved(), 3);
    await stored.save(withCounter(4));
    await stored.flush();
    assert.equal(saved(), 4);
  });

  it("are all flushed, each once", async () => {
    const many = Array.from({ length: 50 }, (_, index) => device(`n${index}`));
    await stored.save(devicesOf(...many));
    const known = group.attempts.length;
    await stored.save(devicesOf(...many.map((one) => ({ ...one, counters: {} }))));
    await stored.flush();
    const flushed = group.attempts.slice(known);
    assert.equal(new Set(flushed).size, 50);
    assert.equal(flushed.length, 50);
  });
});
