// Tests for the maximum age below which a dialog warns: never one that the automatic value would have.
import assert from "node:assert/strict";
import { shortestMaxAge } from "../../nodes/shared/editor/dialog/schedule-notes";
import { validFor } from "../../src/decisions/freshness";
import { NEW_RHYTHM } from "../../src/series/rhythm";
import { MINUTE } from "../../src/time-units";

describe("the shortest maximum age", () => {
  for (const repeat of [1, 5, 10, 30, 60, 90, 1440])
    it(`is the automatic one for records of five minutes without a lag, read every ${repeat} min`, () => {
      const automatic = validFor(undefined, NEW_RHYTHM, { id: "node", repeat: repeat * MINUTE });
      assert.equal(shortestMaxAge(repeat) * MINUTE, automatic({ start: 0, end: 5 * MINUTE }));
    });

  it("is a quarter of an hour where messages trigger the reads", () => {
    assert.equal(shortestMaxAge(0), 15);
  });
});
