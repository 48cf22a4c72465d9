// Promises of points: every value of a record once, under the end of the record; null gives none and is never 0.
import assert from "node:assert/strict";
import { InputError } from "../../src/errors";
import { chartPoints, ended, influxPoints } from "../../src/messages/points";

const END = "2026-06-10T10:05:00Z";
const RECORD = {
  startTime: "2026-06-10T10:00:00Z",
  endTime: END,
  grid: { power: -120.5, energy: 0, connectivityStatus: "ON_GRID", importedEnergy: null },
  solar: null,
  storage: { stateOfCharge: 55, isReserved: false },
  novelty: { level: 3, deep: { more: 1 }, list: [1] },
  quality: "good",
};
const points = (record: object, address = { siteId: "a" }): unknown =>
  influxPoints([ended(record)], address, "energy");

describe("points", () => {
  it("makes one point of a record, with every value of every group, unknown ones included", () => {
    assert.deepEqual(points(RECORD), [
      {
        measurement: "energy",
        tags: { siteId: "a" },
        fields: {
          grid_power: -120.5,
          grid_energy: 0,
          grid_connectivityStatus: "ON_GRID",
          storage_stateOfCharge: 55,
          storage_isReserved: false,
          novelty_level: 3,
        },
        timestamp: new Date(END),
      },
    ]);
  });

  it("tags the system where there is one, and writes no word about one that is not", () => {
    const [tagged] = influxPoints([ended(RECORD)], { siteId: "a", systemId: "b" }, "m");
    assert.deepEqual([tagged?.measurement, tagged?.tags], ["m", { siteId: "a", systemId: "b" }]);
    const [untagged] = influxPoints([ended(RECORD)], { siteId: "a", systemId: undefined }, "m");
    assert.equal("systemId" in (untagged?.tags ?? {}), false);
  });

  it("makes no point of a record without values", () => {
    assert.deepEqual(points({ ...RECORD, grid: null, storage: { stateOfCharge: null }, novelty: {} }), []);
  });

  it("leaves out numbers that no database takes", () => {
    assert.deepEqual(points({ endTime: END, grid: { power: Number.NaN, energy: Infinity } }), []);
  });

  it("makes a point of every number for a chart, each under the end of its record", () => {
    const second = { endTime: "2026-06-10T12:10:00+02:00", rgm: { power: 7 } };
    assert.deepEqual(chartPoints([ended(RECORD), ended(second)]), [
      { series: "grid.power", x: Date.parse(END), y: -120.5 },
      { series: "grid.energy", x: Date.parse(END), y: 0 },
      { series: "storage.stateOfCharge", x: Date.parse(END), y: 55 },
      { series: "novelty.level", x: Date.parse(END), y: 3 },
      { series: "rgm.power", x: Date.UTC(2026, 5, 10, 10, 10), y: 7 },
    ]);
  });

  for (const [name, record, text] of [
    ["a number", 7, /no record but a number/],
    ["text", '{"endTime":1}', /but text/],
    ["nothing", undefined, /but missing/],
    ["null", null, /but null/],
    ["a record without times", { storage: { stateOfCharge: 1 } }, /no readable startTime and endTime/],
    ["a record with an end that is no time", { endTime: "yesterday" }, /no readable startTime and endTime/],
    ["a record with an end in seconds", { endTime: 1_780_000_000 }, /no readable startTime and endTime/],
  ] as const) {
    it(`refuses ${name}`, () =>
      assert.throws(
        () => ended(record),
        (error) => error instanceof InputError && text.test(error.message),
      ));
  }
});
