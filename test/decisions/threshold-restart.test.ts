// Tests for threshold decisions across a restart: nothing is reported twice, and ages are remembered.
import assert from "node:assert/strict";
import { afterRestart, type StoredThreshold } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { decisions, type Event, moment, NOW, RULE } from "../support/threshold-decisions";

describe("threshold after a restart", () => {
  /** Restarts in minute 0 of the test. */
  function afterStart(stored: StoredThreshold, events: Event[], rule = {}): string[] {
    return decisions(events, rule, afterRestart(stored, moment(0), { ...RULE, ...rule }));
  }

  it("neither repeats nor invents an edge while the value is fresh", () => {
    const events: Event[] = [
      [0, null],
      [0.1, 70],
      [1, 40],
    ];
    assert.deepEqual(afterStart({ side: "high", value: 70, time: NOW }, events), []);
  });

  it("reports at once a value that has become too old, with that value", () => {
    const stored = { side: "high", value: 70, time: NOW - 16 * MINUTE } as const;
    assert.deepEqual(afterStart(stored, [[0, null]]), ["0 stale"]);
  });

  it("remembers the age of a value that is still fresh", () => {
    const events: Event[] = [
      [12, null],
      [12.001, null],
    ];
    assert.deepEqual(afterStart({ value: 40, time: NOW - 3 * MINUTE }, events), ["12.001 stale"]);
  });

  it("is unsafe if the stored time is in the future, because no one knows how old the value is", () => {
    const future = NOW + 600 * MINUTE;
    const events: Event[] = [
      [0, null],
      [1, { value: 10, end: NOW + MINUTE }],
      [16.001, null],
    ];
    const stored = { side: "high", value: 70, time: future, end: future } as const;
    assert.deepEqual(afterStart(stored, events), ["0 stale", "1 low", "16.001 stale"]);
  });

  it("takes a stored time for the present that is in the future by less than clocks may differ", () => {
    const stored = { side: "high", value: 70, time: NOW + MINUTE } as const;
    const events: Event[] = [
      [15, null],
      [15.001, null],
    ];
    assert.deepEqual(afterStart(stored, events), ["15.001 stale"]);
  });

  it("makes no value valid for longer because the clock was set back", () => {
    const stored = { side: "high", value: 70, time: NOW + MINUTE, validUntil: NOW + 16 * MINUTE } as const;
    const events: Event[] = [
      [15, null],
      [15.001, null],
    ];
    assert.deepEqual(afterStart(stored, events, { maxAge: undefined }), ["15.001 stale"]);
  });

  it("does not report an unsafe time again, and ends it with the true edge", () => {
    const events: Event[] = [
      [20, null],
      [21, { value: null }],
      [22, 70],
    ];
    assert.deepEqual(afterStart({ unsafe: "stale", value: 70, time: NOW }, events), ["22 high"]);
  });

  it("waits for a subject that never had a value as if it were new", () => {
    const events: Event[] = [
      [15, null],
      [15.001, null],
    ];
    assert.deepEqual(afterStart({}, events), ["15.001 stale"]);
  });

  it("repeats the side from the start on", () => {
    const events: Event[] = [
      [4, null],
      [5, null],
      [6, 71],
      [10, null],
    ];
    const rule = { repeat: 5 * MINUTE };
    const stored = { side: "high", value: 70, time: NOW } as const;
    assert.deepEqual(afterStart(stored, events, rule), ["5 high again", "10 high again"]);
  });

  it("goes on with a value that has not held yet, and repeats no side if it returns", () => {
    const stored = { side: "low", value: 70, time: NOW, limits: { high: 60, low: 20 } } as const;
    const rule = { hold: 4 * MINUTE };
    const silence: Event[] = [
      [0, null],
      [4, null],
    ];
    assert.deepEqual(afterStart(stored, silence, rule), ["4 high"]);
    assert.deepEqual(afterStart(stored, [[1, 10], ...silence.slice(1)], rule), []);
  });

  describe("with other settings", () => {
    const stored = { side: "high", value: 70, time: NOW, limits: { high: 60, low: 20 } } as const;
    const events: Event[] = [
      [0, null],
      [4, null],
      [10, 72],
      [11, 95],
    ];

    it("decides at once on a value that is on the other side, once it has held", () => {
      assert.deepEqual(afterStart(stored, events, { high: 90, low: 80 }), ["0 low", "11 high"]);
      assert.deepEqual(afterStart(stored, events, { high: 90, low: 80, hold: 4 * MINUTE }), ["4 low"]);
    });

    it("does not know the side of a value between the limits, and repeats nothing", () => {
      assert.deepEqual(afterStart(stored, events, { high: 90, low: 20, repeat: 5 * MINUTE }), ["11 high"]);
    });

    it("keeps its side between the limits that it was decided by", () => {
      const between = { ...stored, value: 40 };
      assert.deepEqual(
        afterStart(
          between,
          [
            [4, null],
            [5, null],
          ],
          { repeat: 5 * MINUTE },
        ),
        ["5 high again"],
      );
    });

    it("is unsafe at once if the value is no longer plausible", () => {
      assert.deepEqual(afterStart(stored, events.slice(0, 1), { max: 69 }), ["0 implausible"]);
    });

    it("goes by the new maximum age, or by what the message said", () => {
      const said = { ...stored, validUntil: NOW + 40 * MINUTE };
      const late: Event[] = [
        [16, null],
        [41, null],
      ];
      assert.deepEqual(afterStart(said, late), ["16 stale"]);
      assert.deepEqual(afterStart(said, late, { maxAge: undefined }), ["41 stale"]);
      assert.deepEqual(afterStart(said, late, { maxAge: 0 }), []);
    });
  });
});
