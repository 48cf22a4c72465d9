// Tests for which values are possible: percentages are out of 100, whatever group they are in.
import assert from "node:assert/strict";
import { isPlausible } from "../../src/models/measurements";

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
