// Tests for the maximum age below which a dialog warns: the automatic one for records of five minutes that can be read at once.
import assert from "node:assert/strict";
import { shortestMaxAge } from "../../nodes/shared/editor/dialog/schedule-notes";

describe("the shortest maximum age", () => {
  for (const [repeat, minutes] of [
    [1, 15],
    [5, 15],
    [10, 25],
    [60, 125],
    [1440, 180],
  ] as const)
    it(`is ${minutes} min for a read every ${repeat} min`, () => {
      assert.equal(shortestMaxAge(repeat), minutes);
    });

  it("is a quarter of an hour where messages trigger the reads", () => {
    assert.equal(shortestMaxAge(0), 15);
  });
});
