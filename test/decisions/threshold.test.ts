// Tests for threshold decisions with two limits: every edge once, and none for a record that is delivered again.
import assert from "node:assert/strict";
import { timeToDecision } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { awaiting, decisions, type Event, moment, NOW, record, RULE } from "../support/threshold-decisions";

describe("threshold", () => {
  it("reports an edge at the first value at or beyond a limit", () => {
    assert.deepEqual(decisions([[0, 60]]), ["0 high"]);
    assert.deepEqual(decisions([[0, 20]]), ["0 low"]);
    assert.deepEqual(decisions([[0, 40]]), []);
  });

  it("treats 0 as a value", () => assert.deepEqual(decisions([[0, 0]]), ["0 low"]));

  it("keeps its side between the limits, and repeats no edge", () => {
    const values = [70, 65, 40, 59.9, 61, 21, 20, 5, 30, 19, 60];
    assert.deepEqual(decisions(values.map((value, index) => [index, value])), ["0 high", "6 low", "10 high"]);
  });

  it("works with negative limits", () => {
    const events: Event[] = [
      [0, -600],
      [1, -400],
      [2, -100],
    ];
    assert.deepEqual(decisions(events, { high: -100, low: -500 }), ["0 low", "2 high"]);
  });

  it("ignores records that are not newer than the last one, even without a value", () => {
    const again = [record(70, -5), record(10, 0)];
    const events = [...again, ...again, record(null, 0)].map((reading): Event => [1, reading]);
    assert.deepEqual(decisions(events), ["1 high", "1 low"]);
  });

  it("ignores an old record beside fresher ones", () => {
    const events: Event[] = [
      [0, record(90, 0)],
      [1, record(10, -40)],
      [2, record(91, 2)],
    ];
    assert.deepEqual(decisions(events), ["0 high"]);
  });

  it("counts the age of a record in progress from its start", () => {
    const events: Event[] = [
      [0, record(70, 3)],
      [13, null],
      [13.0001, null],
    ];
    assert.deepEqual(decisions(events), ["0 high", "13.0001 stale"]);
  });

  it("treats a record that ends in the future as current if its start is unknown", () => {
    const events: Event[] = [
      [0, { value: 70, end: NOW + 10 * MINUTE }],
      [15, null],
      [15.1, null],
    ];
    assert.deepEqual(decisions(events), ["0 high", "15.1 stale"]);
  });

  it("ignores a record that begins in the future, and remembers nothing of it", () => {
    const events: Event[] = [
      [0, record(70, 60)],
      [1, record(10, 0)],
    ];
    assert.deepEqual(decisions(events), ["1 low"]);
  });

  it("decides on later records after one that says it ends far in the future", () => {
    const events: Event[] = [
      [0, { value: 70, start: NOW, end: NOW + 9999 * MINUTE }],
      [5, record(10, 5)],
    ];
    assert.deepEqual(decisions(events), ["0 high", "5 low"]);
  });

  it("predicts the next decision without a message, and none while it is unsafe", () => {
    const next = (state: object, rule = {}): number => timeToDecision(state, moment(2), { ...RULE, ...rule });
    assert.equal(next(awaiting()), 13 * MINUTE + 1);
    assert.equal(next(awaiting(), { maxAge: 0 }), Number.POSITIVE_INFINITY);
    assert.equal(next({ ...awaiting(), isTimed: true, time: NOW - 14 * MINUTE }), 1 - MINUTE);
    const waiting = { edge: "high", since: undefined, seen: MINUTE };
    assert.equal(next({ waiting }, { hold: 5 * MINUTE }), 4 * MINUTE);
    const high = { side: "high", value: 70, sent: MINUTE };
    assert.equal(next(high), Number.POSITIVE_INFINITY);
    assert.equal(next(high, { repeat: 5 * MINUTE }), 4 * MINUTE);
    assert.equal(next({ ...awaiting(), unsafe: "stale" }), Number.POSITIVE_INFINITY);
  });
});
