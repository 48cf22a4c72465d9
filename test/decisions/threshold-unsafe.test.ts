// Tests for threshold decisions on stale or missing values: no decision is made, and the reason is reported once.
import assert from "node:assert/strict";
import { nextChange } from "../../src/decisions/threshold";
import { decisions, NOW, record, RULE } from "../support/threshold-decisions";

describe("threshold when it is not safe to decide", () => {
  it("reports the reason once, and again only after a safe value", () => {
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

  it("treats a stale value as missing, to the millisecond", () => {
    assert.deepEqual(decisions([[0, record(70, -15)]]), ["0 high"]);
    assert.deepEqual(decisions([[0, record(70, -15.0001)]]), ["0 stale"]);
  });

  it("passes on the reason given by the sender", () => {
    assert.deepEqual(decisions([[0, { value: null, reason: "failed" }]]), ["0 failed"]);
  });

  it("notices without a message that data has stopped, by the age of the last good value", () => {
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

  it("keeps its side: once values are back, only the other limit triggers an edge", () => {
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

  it("never treats a value as stale if any age is allowed", () => {
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
