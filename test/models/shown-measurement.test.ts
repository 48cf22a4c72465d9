// Tests for numbers as people read them.
import assert from "node:assert/strict";
import { shownMeasurement, shownNumber } from "../../src/models/shown-measurement";

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
