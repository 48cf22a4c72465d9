// Tests for threshold decisions with a hold: no edge until the value has stayed beyond its limit.
import assert from "node:assert/strict";
import { MINUTE } from "../../src/time-units";
import { decisions, type Event, record } from "../support/threshold-decisions";

describe("threshold with a hold", () => {
  const hold = { hold: 10 * MINUTE };

  it("waits until the value has stayed beyond its limit, by the times of the records", () => {
    const late = (minute: number): Event => [minute + 2, record(70, minute)];
    assert.deepEqual(decisions([late(-10), late(-5), late(0)], hold), ["2 high"]);
  });

  it("measures the hold by record times when several records arrive at once", () => {
    assert.deepEqual(
      decisions(
        [
          [0, record(70, -12)],
          [0.1, record(70, -2)],
        ],
        hold,
      ),
      ["0.1 high"],
    );
  });

  it("measures the hold by the clock if values have no time", () => {
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [9.9, 70],
          [10, 70],
        ],
        hold,
      ),
      ["10 high"],
    );
  });

  it("decides on time without a further message while the value is still fresh", () => {
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [9.9, null],
          [10, null],
          [11, null],
        ],
        hold,
      ),
      ["10 high"],
    );
  });

  it("does not count the delay of a record toward the hold", () => {
    assert.deepEqual(
      decisions(
        [
          [0, record(70, -12)],
          [0.1, null],
        ],
        hold,
      ),
      [],
    );
  });

  it("starts over when the value returns or crosses the other limit", () => {
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [5, 40],
          [6, 70],
          [12, 70],
          [16, 70],
        ],
        hold,
      ),
      ["16 high"],
    );
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [5, 10],
          [10, 10],
          [15, 10],
        ],
        hold,
      ),
      ["15 low"],
    );
  });

  it("keeps its side if the value returns to it in time", () => {
    const events: Event[] = [
      [0, 70],
      [10, null],
      [12, 10],
      [14, 70],
      [22, null],
    ];
    assert.deepEqual(decisions(events, hold), ["10 high"]);
  });

  it("starts over after the value was unsafe", () => {
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [5, { value: null, reason: "implausible" }],
          [6, 70],
          [15.9, 70],
          [16, 70],
        ],
        hold,
      ),
      ["5 implausible", "16 high"],
    );
  });

  it("does not decide on a value that has become stale", () => {
    assert.deepEqual(
      decisions(
        [
          [0, 70],
          [40, null],
        ],
        { hold: 30 * MINUTE },
      ),
      ["40 stale"],
    );
  });
});
