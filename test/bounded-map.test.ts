// Tests for what is remembered of reports: each is made once, and what is new is reported however much was reported before.
import assert from "node:assert/strict";
import { Reported } from "../src/bounded-map";

describe("what was reported", () => {
  it("is not reported again, and keeps nothing new from being reported", () => {
    const reported = new Reported();
    const isNew = (index: number): boolean => reported.isNew(`window ${index}`);
    for (let index = 0; index < 20_001; index += 1) {
      assert.equal(isNew(index), true);
      assert.equal(isNew(index), false);
    }
    // Forgotten, so that no more is remembered than a bounded number.
    assert.equal(isNew(0), true);
  });
});
