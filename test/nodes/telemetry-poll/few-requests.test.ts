// Tests for the number of requests that one message may cause.
import assert from "node:assert/strict";
import { assertFewRequests, SEARCH_REQUESTS } from "../../../nodes/shared/runtime/series/selection";
import { HOUR } from "../../../src/time-units";

const days = (count: number): { start: number; end: number } => ({ start: 0, end: count * 24 * HOUR });

describe("a range in a message", () => {
  const isAllowed = (count: number, seriesCount: number, search = 0): boolean => {
    try {
      assertFewRequests(days(count), seriesCount, search);
      return true;
    } catch (error) {
      assert.equal((error as { code: string }).code, "ENERGY_RANGE");
      return false;
    }
  };

  it("takes 400 requests at most, with those to find its series and their beginning", () => {
    assert.deepEqual([isAllowed(398, 1), isAllowed(399, 1)], [true, false]);
    assert.deepEqual([isAllowed(386, 1, SEARCH_REQUESTS), isAllowed(387, 1, SEARCH_REQUESTS)], [true, false]);
    assert.deepEqual([isAllowed(8, 40), isAllowed(8, 41)], [true, false]);
  });

  it("does not limit how many systems are read at one time", () => {
    assert.equal(isAllowed(1, 1000), true);
  });
});
