// Tests for threshold decisions with two limits: every edge once, and none for a record that is delivered again.
import assert from "node:assert/strict";
import { nextChange } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { decisions, type Event, NOW, record, RULE } from "../support/threshold-decisions";

describe("threshold", () => {
  it("reports an edge at the first value at or beyond a limit", () => {
    assert.deepEqual(decisions([[0, 60]]), ["0 high"]);
    assert.deepEqual(decisions([[0, 20]]), ["0 low"]);
    assert.deepEqual(decisions([[0, 40]]), []);
  });

  it("treats 0 as a value", () => assert.deepEqual(decisions([[0, 0]]), ["0 low"]));

  it("keeps its state between the limits, and repeats no edge", () => {
    const values = [70, 65, 40, 59.9, 61, 21, 20, 5, 30, 19, 60];
    assert.deepEqual(decisions(values.map((value, index) => [index, value])), ["0 high", "6 low", "10 high"]);
  });

  it("works with negative limits", () => {
    assert.deepEqual(
      decisions(
        [
          [0, -600],
          [1, -400],
          [2, -100],
        ],
        { high: -100, low: -500 },
      ),
      ["0 low", "2 high"],
    );
  });

  it("ignores records that are delivered again", () => {
    const again = [record(70, -5), record(10, 0)];
    const events = [...again, ...again].map((reading): Event => [1, reading]);
    assert.deepEqual(decisions(events), ["1 high", "1 low"]);
  });

  it("treats a record that ends in the future as current", () => {
    assert.deepEqual(
      decisions([
        [0, record(70, 10)],
        [15.1, null],
      ]),
      ["0 high", "15.1 stale"],
    );
  });

  it("ignores a record that begins in the future, and remembers nothing of it", () => {
    const future = { ...record(70, 60), start: NOW + 55 * MINUTE };
    assert.deepEqual(
      decisions([
        [0, future],
        [1, record(10, 0)],
      ]),
      ["1 low"],
    );
  });

  it("decides on later records after one that says it ends far in the future", () => {
    assert.deepEqual(
      decisions([
        [0, { ...record(70, 9999), start: NOW }],
        [5, record(10, 5)],
      ]),
      ["0 high", "5 low"],
    );
  });

  it("predicts the next change without a message: the end of a hold or of freshness, or none while unsafe", () => {
    assert.equal(nextChange({}, RULE), Number.POSITIVE_INFINITY);
    assert.equal(nextChange({ time: NOW }, RULE), NOW + 15 * MINUTE + 1);
    const waiting = { edge: "high", since: NOW, seen: NOW + MINUTE } as const;
    assert.equal(nextChange({ time: NOW, waiting }, { ...RULE, hold: 5 * MINUTE }), NOW + 6 * MINUTE);
    assert.equal(nextChange({ time: NOW, unsafe: "stale" }, RULE), Number.POSITIVE_INFINITY);
  });
});
