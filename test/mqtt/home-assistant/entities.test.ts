// Tests for entities and their states: one for each reading in Home Assistant, null if there is none.
import assert from "node:assert/strict";
import { ENTITIES } from "../../../src/mqtt/home-assistant/discovery";
import { NAMES } from "../../../src/mqtt/home-assistant/entities";
import { entityState, entityValue, READINGS } from "../../../src/mqtt/home-assistant/readings";

const TIMES = { startTime: "2026-06-10T10:00:00Z", endTime: "2026-06-10T12:05:00+02:00" };
const END = Date.parse(TIMES.endTime);
const NONE = new Set<string>();

const entity = (key: string): (typeof READINGS)[number] => {
  const found = READINGS.find((one) => one.key === key);
  assert.ok(found, key);
  return found;
};

describe("entities", () => {
  it("have different keys", () => {
    assert.equal(new Set(ENTITIES.map(({ key }) => key)).size, ENTITIES.length);
  });

  it("belong to the series that contains their group", () => {
    assert.equal(entity("rgm_power").state, "state/rgm");
    assert.equal(entity("grid_power").state, "state/telemetry");
  });

  it("accept only values of their own type: text is not a number, and null is not 0", () => {
    const value = (key: string, fields: unknown): unknown =>
      entityValue({ ...TIMES, grid: fields }, entity(key));
    assert.equal(value("grid_power", { power: 0 }), 0);
    assert.equal(value("grid_connectivityStatus", { connectivityStatus: "ON" }), "ON");
    // JSON has numbers that are too large, such as 1e999.
    for (const fields of [{ power: "5" }, { power: null }, { power: Infinity }, {}, null, undefined, [5], 5])
      assert.equal(value("grid_power", fields), null);
  });

  it("have no percentage outside 0 to 100, and no text that Home Assistant would reject", () => {
    const charge = (stateOfCharge: number): unknown =>
      entityValue({ ...TIMES, storage: { stateOfCharge } }, entity("storage_stateOfCharge"));
    assert.deepEqual([0, 57.5, 100, 255, -1].map(charge), [0, 57.5, 100, null, null]);
    const grid = { connectivityStatus: "x".repeat(300), power: -9000 };
    assert.equal(entityValue({ ...TIMES, grid }, entity("grid_connectivityStatus")), `${"x".repeat(254)}…`);
    assert.equal(entityValue({ ...TIMES, grid }, entity("grid_power")), -9000);
  });

  it("have a name in every language, and no language has others", () => {
    for (const names of Object.values(NAMES)) {
      assert.deepEqual(Object.keys(names), Object.keys(NAMES.en));
      for (const { key, name } of ENTITIES) assert.notEqual(names[name] ?? "", "", key);
    }
  });
});

describe("device state", () => {
  const record = {
    ...TIMES,
    grid: { power: 1, lifetimeImportedEnergy: 5, energy: 9 },
    solar: null,
    rgm: { power: 7 },
  };

  it("has the readings of one series, its end in UTC, and null for missing groups", () => {
    const state = entityState(record, "telemetry", END, NONE);
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
