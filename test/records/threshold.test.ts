// Promises of a decision by two limits: every edge once, none by what is old, missing, or delivered again.
import assert from "node:assert/strict";
import {
  nextChange,
  restarted,
  takeReading,
  takeTime,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
} from "../../src/records/threshold";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 5, 10, 10, 7);
const RULE: ThresholdRule = { high: 60, low: 20, hold: 0, maxAgeMinutes: 15 };

/** Minute of the test, and the reading or null for time alone. */
type Event = [minute: number, reading: number | ThresholdReading | null];

/** What the events bring, as `minute edge` or `minute reason`. */
function decisions(events: Event[], rule: Partial<ThresholdRule> = {}, start: ThresholdState = {}): string[] {
  const told: string[] = [];
  let state = start;
  for (const [minute, event] of events) {
    const now = NOW + minute * MINUTE;
    const whole = { ...RULE, ...rule };
    const reading = typeof event === "number" ? { value: event } : event;
    const step = reading ? takeReading(state, reading, now, whole) : takeTime(state, now, whole);
    ({ state } = step);
    if (step.decision) told.push(`${minute} ${Object.values(step.decision).join("")}`);
  }
  return told;
}

/** A record that ended in that minute of the test. */
const record = (value: number | null, minute: number): ThresholdReading => ({
  value,
  end: NOW + minute * MINUTE,
});

describe("threshold", () => {
  it("takes the first value beyond a limit for an edge, the limits themselves included", () => {
    assert.deepEqual(decisions([[0, 60]]), ["0 high"]);
    assert.deepEqual(decisions([[0, 20]]), ["0 low"]);
    assert.deepEqual(decisions([[0, 40]]), []);
  });

  it("takes 0 for a value", () => assert.deepEqual(decisions([[0, 0]]), ["0 low"]));

  it("lets the last edge stand between the limits, and repeats none", () => {
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

  describe("with a hold", () => {
    const hold = { hold: 10 * MINUTE };

    it("waits until the value has stayed beyond its limit, by the times of the records", () => {
      const late = (minute: number): Event => [minute + 2, record(70, minute)];
      assert.deepEqual(decisions([late(-10), late(-5), late(0)], hold), ["2 high"]);
    });

    it("counts by the records when several come at once", () => {
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

    it("waits by the clock where no record tells the time", () => {
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

    it("decides in time when no further message comes and the value is still fresh", () => {
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

    it("does not count the delay of a record as time that its value was seen", () => {
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

    it("begins anew when the value comes back, or goes beyond the other limit", () => {
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

    it("begins anew after an unsafe time", () => {
      assert.deepEqual(
        decisions(
          [
            [0, 70],
            [5, { value: null }],
            [6, 70],
            [11, 70],
            [16, 70],
          ],
          hold,
        ),
        ["5 no-value", "16 high"],
      );
    });

    it("decides by nothing that has become too old meanwhile", () => {
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

  describe("when it is not safe to decide", () => {
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

  it("decides nothing anew by records that are delivered again", () => {
    const again = [record(70, -5), record(10, 0)];
    const events = [...again, ...again].map((reading): Event => [1, reading]);
    assert.deepEqual(decisions(events), ["1 high", "1 low"]);
  });

  it("takes a record that ends in the future for one of now", () => {
    assert.deepEqual(
      decisions([
        [0, record(70, 10)],
        [15.1, null],
      ]),
      ["0 high", "15.1 stale"],
    );
  });

  it("knows when time will bring something: the end of a hold, or of freshness, and nothing while unsafe", () => {
    assert.equal(nextChange({}, RULE), Number.POSITIVE_INFINITY);
    assert.equal(nextChange({ time: NOW }, RULE), NOW + 15 * MINUTE + 1);
    const waiting = { edge: "high", since: NOW, seen: NOW + MINUTE } as const;
    assert.equal(nextChange({ time: NOW, waiting }, { ...RULE, hold: 5 * MINUTE }), NOW + 6 * MINUTE);
    assert.equal(nextChange({ time: NOW, unsafe: "stale" }, RULE), Number.POSITIVE_INFINITY);
  });

  describe("after a restart", () => {
    it("repeats no edge and invents none", () => {
      const waiting = { edge: "low", since: NOW - 9 * MINUTE, seen: NOW - 9 * MINUTE } as const;
      const state = restarted({ side: "high", time: NOW, waiting }, NOW, RULE);
      assert.deepEqual(
        decisions(
          [
            [0, null],
            [0.1, 70],
            [1, null],
          ],
          { hold: 10 * MINUTE },
          state,
        ),
        [],
      );
      assert.equal(state.waiting, undefined);
    });

    it("leaves the flow a minute to bring a value, and then calls the data stale", () => {
      const state = restarted({ side: "high", time: NOW - 600 * MINUTE }, NOW, RULE);
      assert.deepEqual(
        decisions(
          [
            [1, null],
            [1.001, null],
          ],
          {},
          state,
        ),
        ["1.001 stale"],
      );
    });

    it("goes on with the age of a value that is still fresh", () => {
      const state = restarted({ time: NOW - 3 * MINUTE }, NOW, RULE);
      assert.deepEqual(
        decisions(
          [
            [12, null],
            [12.001, null],
          ],
          {},
          state,
        ),
        ["12.001 stale"],
      );
    });

    it("does not say again that it is not safe", () => {
      const state = restarted({ unsafe: "stale", time: NOW }, NOW, RULE);
      assert.deepEqual(
        decisions(
          [
            [20, null],
            [21, { value: null }],
          ],
          {},
          state,
        ),
        [],
      );
    });
  });
});
