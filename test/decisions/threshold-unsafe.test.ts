// Promises of a decision by values that are old or missing: none is made, and the reason is told once.
import assert from "node:assert/strict";
import { nextChange } from "../../src/decisions/threshold";
import { decisions, NOW, record, RULE } from "../support/threshold-decisions";

describe("threshold when it is not safe to decide", () => {
  it("says so once, and again only after it has been safe", () => {
    const none = { value: null };
    assert.deepEqual(
      decisions([
        [0, none],
        [1, none],
        [2, 40],
        [3, none],
      ]),
      ["0 no-value", "3 no-value"],
    );
  });

  it("takes an old value for none, to the millisecond", () => {
    assert.deepEqual(decisions([[0, record(70, -15)]]), ["0 high"]);
    assert.deepEqual(decisions([[0, record(70, -15.0001)]]), ["0 stale"]);
  });

  it("passes on the reason that the sender knows", () => {
    assert.deepEqual(decisions([[0, { value: null, reason: "failed" }]]), ["0 failed"]);
  });

  it("notices by time alone that data has stopped, by the age of the last good value", () => {
    assert.deepEqual(
      decisions([
        [0, record(40, -2)],
        [13, null],
        [13.0001, null],
        [20, null],
      ]),
      ["13.0001 stale"],
    );
    assert.deepEqual(
      decisions([
        [0, 40],
        [10, { value: null }],
        [16, null],
      ]),
      ["10 no-value"],
    );
  });

  it("keeps the side: only the other limit brings an edge when values are back", () => {
    assert.deepEqual(
      decisions([
        [0, 70],
        [1, { value: null }],
        [2, 75],
      ]),
      ["0 high", "1 no-value"],
    );
    assert.deepEqual(
      decisions([
        [0, 70],
        [1, { value: null }],
        [2, 10],
      ]),
      ["0 high", "1 no-value", "2 low"],
    );
  });

  it("never takes a value for old where the age does not count", () => {
    const never = { maxAgeMinutes: 0 };
    assert.deepEqual(
      decisions(
        [
          [0, record(70, -9000)],
          [9000, null],
        ],
        never,
      ),
      ["0 high"],
    );
    assert.equal(nextChange({ time: NOW }, { ...RULE, ...never }), Number.POSITIVE_INFINITY);
  });
});
