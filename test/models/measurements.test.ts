// Tests for measurements: what is possible, on which side of the inverter, and as people read them.
import assert from "node:assert/strict";
import {
  basisReader,
  decimalsOf,
  isPlausible,
  shownMeasurement,
  shownNumber,
} from "../../src/models/measurements";

describe("plausible values", () => {
  for (const field of ["stateOfCharge", "minimumReserve", "stateOfHealth"]) {
    it(`of ${field} are from 0 to 100`, () => {
      for (const value of [0, 0.1, 57.5, 100, "0", " 100 "]) assert.equal(isPlausible(field, value), true);
      for (const value of [-0.1, 100.1, 255, Number.POSITIVE_INFINITY, "255", "-1", "1e999"])
        assert.equal(isPlausible(field, value), false, String(value));
    });

    it(`of ${field} are all that is no number`, () => {
      for (const value of ["", "high", null, {}, [255], true])
        assert.equal(isPlausible(field, value), true, JSON.stringify(value));
    });
  }

  it("of all other fields are any", () => {
    for (const field of ["power", "lifetimeEnergy", "stateofcharge", ""])
      assert.equal(isPlausible(field, -40_000), true);
  });
});

const times = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-01T00:05:00Z" };
const record = { ...times, grid: {}, solar: {}, consumption: {}, storage: {}, inverter: {} };

describe("basis of a record", () => {
  it("is DC for solar and storage of PC1, and AC for everything else", () => {
    assert.deepEqual(basisReader("PC1")(record), {
      grid: "ac",
      solar: "dc",
      consumption: "ac",
      storage: "dc",
      inverter: "ac",
    });
  });

  it("is AC throughout for PC2", () => {
    assert.deepEqual(new Set(Object.values(basisReader("PC2")(record) ?? {})), new Set(["ac"]));
  });

  it("omits groups that are null or absent", () => {
    assert.deepEqual(basisReader("PC1")({ ...times, grid: {}, solar: null }), { grid: "ac" });
  });

  it("is undefined for unknown generations", () => {
    assert.equal(basisReader("PC3")(record), undefined);
    assert.equal(basisReader(undefined)(record), undefined);
  });
});

describe("an amount of money", () => {
  for (const [currency, expected] of [
    ["EUR", 2],
    ["JPY", 0],
    ["KRW", 0],
    ["KWD", 3],
    ["€", 2],
    ["Franken", 2],
    ["", 2],
  ] as const) {
    it(`in "${currency}" has ${expected} decimals`, () => assert.equal(decimalsOf(currency), expected));
  }
});

describe("a shown measurement", () => {
  for (const [value, unit, expected] of [
    [18.37, "%", "18 %"],
    [0, "%", "0 %"],
    [850.4, "W", "850 W"],
    [999.4, "W", "999 W"],
    [999.5, "W", "1.0 kW"],
    [3249, "W", "3.2 kW"],
    [-3249, "W", "-3.2 kW"],
    [-0.2, "W", "0 W"],
    [12_400, "Wh", "12.4 kWh"],
    [99_960, "Wh", "100 kWh"],
    [230_400, "Wh", "230 kWh"],
    [999_600, "Wh", "1.0 MWh"],
    [7_654_321, "Wh", "7.7 MWh"],
    [1e15, "Wh", "1000000 GWh"],
    [229.56, undefined, "229.6"],
  ] as const) {
    it(`of ${value} ${unit ?? "without a unit"} is ${expected}`, () => {
      assert.equal(shownMeasurement(value, unit), expected);
    });
  }
});

describe("a shown number", () => {
  for (const [value, expected] of [
    [20, "20"],
    [20.04, "20"],
    [59.96, "60"],
    [0.1234, "0.12"],
    [-1500.25, "-1500.2"],
    [0, "0"],
  ] as const) {
    it(`of ${value} is ${expected}`, () => {
      assert.equal(shownNumber(value), expected);
    });
  }
});
