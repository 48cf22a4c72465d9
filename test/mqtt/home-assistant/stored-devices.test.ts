// Tests for the known devices as they are stored: one that cannot be written holds up no other, and is written later.
import assert from "node:assert/strict";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { DeviceTable } from "../../../src/mqtt/home-assistant/device-table";
import { HOUR, MINUTE } from "../../../src/time-units";
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
  let table: DeviceTable;

  const ids = (...names: string[]): string[] => names.map((name) => `p__s__${name}`);
  const save = (...devices: Device[]): Promise<void> => {
    for (const one of devices) table.set(one);
    return table.save();
  };
  /** Three lists of sites over a day, which lack all systems but these. */
  const keepOnly = (...names: string[]): void => {
    const systems = names.map((systemId) => ({ systemId }));
    for (const hours of [0, 0, 24])
      Array.from(table.learn([{ siteId: "s", systems }], true, NOW + hours * HOUR));
  };

  beforeEach(() => {
    group = new GroupDouble();
    table = new DeviceTable("p", [], group);
  });

  it("are known by their ids, and not written again", async () => {
    table = new DeviceTable("p", [device("a")], group);
    await save(device("a"));
    assert.deepEqual([...table.devices], [["p__s__a", device("a")]]);
    assert.deepEqual(group.attempts, []);
  });

  it("are written and removed one by one", async () => {
    await save(device("a"), device("b"));
    await save(device("c"));
    keepOnly("c");
    await save();
    assert.deepEqual(group.attempts, ids("a", "b", "c", "a", "b"));
    assert.deepEqual([...group.states.keys()], ids("c"));
  });

  it("hold up no other when one cannot be written, and are tried again, one attempt for each record", async () => {
    [group.refused] = ids("a");
    await assert.rejects(save(device("a"), device("b"), device("c")), { code: "ENERGY_STORE" });
    await assert.rejects(save(), { code: "ENERGY_STORE" });
    assert.deepEqual([...group.states.keys()], ids("b", "c"));
    await assert.rejects(save(), { code: "ENERGY_STORE" });
    assert.equal(group.attempts.length, 5);
    group.refused = undefined;
    await save();
    assert.deepEqual([...group.states.keys()], ids("b", "c", "a"));
  });

  it("are removed although the first attempt fails", async () => {
    await save(device("a"));
    keepOnly();
    [group.refused] = ids("a");
    await assert.rejects(save(), { code: "ENERGY_STORE" });
    group.refused = undefined;
    await save();
    assert.equal(group.states.size, 0);
  });

  it("are written at once when site lists no longer contain them, and when they come back", async () => {
    const known = device("a");
    const saved = (): unknown => group.states.get("p__s__a")?.absence;
    for (const absence of [undefined, { since: NOW, lists: 1 }, undefined]) {
      await save({ ...known, absence });
      assert.deepEqual(saved(), absence);
    }
  });

  it("keep new counters for later, until the flush", async () => {
    const saved = (): number | undefined => {
      return group.states.get("p__s__a")?.counters?.["grid/lifetimeImportedEnergy"]?.value;
    };
    await save(device("a", 1));
    for (const value of [2, 3]) await save(device("a", value));
    assert.equal(saved(), 1);
    assert.deepEqual(
      [...group.waiting.values()].map(({ within }) => Math.round(within / MINUTE)),
      [15],
    );
    await table.flush();
    assert.equal(saved(), 3);
    await save(device("a", 4));
    await table.flush();
    assert.equal(saved(), 4);
  });

  it("are written at once if a new counter comes with what must survive a crash", async () => {
    await save(device("a", 1));
    table.set({ ...device("a", 1), open: [] });
    await save({ ...device("a", 2), open: [] });
    assert.deepEqual(group.states.get("p__s__a")?.open, []);
    assert.equal(group.waiting.size, 0);
  });

  it("are all flushed, each once", async () => {
    const many = Array.from({ length: 50 }, (_, index) => device(`n${index}`));
    await save(...many);
    const known = group.attempts.length;
    await save(...many.map((one) => ({ ...one, counters: {} })));
    await table.flush();
    const flushed = group.attempts.slice(known);
    assert.equal(new Set(flushed).size, 50);
    assert.equal(flushed.length, 50);
  });
});
