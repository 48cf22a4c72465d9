// Promises of entities and their states: one for each reading that Home Assistant shows, null where there is none.
import assert from "node:assert/strict";
import { ENTITIES, entityKey, entitySource, entityValue } from "../../src/home-assistant/entities";
import { entityState } from "../../src/home-assistant/entity-state";

const TIMES = { startTime: "2026-06-10T10:00:00Z", endTime: "2026-06-10T12:05:00+02:00" };
const END = Date.parse(TIMES.endTime);
const NONE = new Set<string>();

const entity = (key: string): (typeof ENTITIES)[number] => {
  const found = ENTITIES.find((one) => entityKey(one) === key);
  assert.ok(found, key);
  return found;
};

describe("entities", () => {
  it("have different keys", () => {
    assert.equal(new Set(ENTITIES.map(entityKey)).size, ENTITIES.length);
  });

  it("are of the series that has their group", () => {
    assert.equal(entitySource(entity("rgm_power")), "rgm");
    assert.equal(entitySource(entity("grid_power")), "telemetry");
  });

  it("have a value of their own type only: text is no number, and null no 0", () => {
    const value = (key: string, fields: unknown): unknown =>
      entityValue({ ...TIMES, grid: fields }, entity(key));
    assert.equal(value("grid_power", { power: 0 }), 0);
    assert.equal(value("grid_connectivityStatus", { connectivityStatus: "ON" }), "ON");
    for (const fields of [{ power: "5" }, { power: null }, {}, null, undefined, [5], 5])
      assert.equal(value("grid_power", fields), null);
  });
});

describe("the state of a device", () => {
  const record = {
    ...TIMES,
    grid: { power: 1, lifetimeImportedEnergy: 5, energy: 9 },
    solar: null,
    rgm: { power: 7 },
  };

  it("has the readings of one series, its end in UTC, and null for groups that are not there", () => {
    const state = entityState(record, "telemetry", END, NONE) as Record<string, unknown>;
    assert.equal(state["endTime"], "2026-06-10T10:05:00.000Z");
    assert.deepEqual(state["grid"], {
      power: 1,
      lifetimeImportedEnergy: 5,
      lifetimeExportedEnergy: null,
      connectivityStatus: null,
    });
    assert.deepEqual([state["solar"], state["storage"], "rgm" in state], [null, null, false]);
    const meter = entityState(record, "rgm", END, NONE);
    assert.deepEqual(Object.keys(meter), ["endTime", "rgm"]);
  });

  it("has null for a counter that is held back", () => {
    const held = new Set(["grid/lifetimeImportedEnergy"]);
    const { grid } = entityState(record, "telemetry", END, held) as { grid: Record<string, unknown> };
    assert.deepEqual([grid["power"], grid["lifetimeImportedEnergy"]], [1, null]);
  });
});
