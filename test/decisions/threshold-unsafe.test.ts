// Tests for threshold decisions on stale or missing values: the reason is reported once, and the true edge comes back.
import assert from "node:assert/strict";
import type { Moment } from "../../src/clock";
import {
  afterRestart,
  stepByReading,
  stepByTime,
  type ThresholdReading,
  type ThresholdState,
} from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { awaiting, decisions, type Event, moment, NOW, record, RULE } from "../support/threshold-decisions";

const WRONG: ThresholdReading = { value: null, reason: "implausible" };

describe("threshold when it is not safe to decide", () => {
  it("reports the reason once, and again only after a safe value", () => {
    const events: Event[] = [
      [0, WRONG],
      [1, { value: null, reason: "stale" }],
      [2, 40],
      [3, WRONG],
    ];
    assert.deepEqual(decisions(events), ["0 implausible", "3 implausible"]);
  });

  it("treats a stale value as missing, to the millisecond", () => {
    assert.deepEqual(decisions([[0, record(70, -15)]]), ["0 high"]);
    assert.deepEqual(decisions([[0, record(70, -15.0001)]]), ["0 stale"]);
  });

  for (const reason of ["stale", "implausible"] as const) {
    it(`is unsafe at once if the sender says ${reason}`, () => {
      const events: Event[] = [
        [0, 70],
        [1, { value: null, reason }],
      ];
      assert.deepEqual(decisions(events), ["0 high", `1 ${reason}`]);
    });
  }

  for (const reason of ["failed", "no-record", "no-value", undefined] as const) {
    it(`keeps a side whose value is still fresh if ${reason ? `the sender says ${reason}` : "there is none"}, and lets time run on`, () => {
      const failed: ThresholdReading = { value: null, reason };
      const events: Event[] = [
        [0, record(90, 0)],
        [5, failed],
        [6, record(91, 6)],
        [20, failed],
        [21, failed],
        [21.001, failed],
        [22, failed],
        [30, record(92, 30)],
      ];
      assert.deepEqual(decisions(events), ["0 high", "21.001 stale", "30 high"]);
    });
  }

  it("notices without a message that data has stopped, by the age of the last safe value", () => {
    const events: Event[] = [
      [0, record(40, -2)],
      [13, null],
      [13.0001, null],
      [20, null],
    ];
    assert.deepEqual(decisions(events), ["13.0001 stale"]);
  });

  it("notices that no value has come since the start", () => {
    const events: Event[] = [
      [10, { value: null, reason: "failed" }],
      [15, null],
      [15.001, null],
      [16, { value: null, reason: "failed" }],
      [20, 40],
    ];
    assert.deepEqual(decisions(events), ["15.001 stale"]);
  });

  it("reports silence that was not noticed yet before it decides on the value that ends it", () => {
    const events: Event[] = [
      [0, 70],
      [40, 71],
      [80, WRONG],
    ];
    assert.deepEqual(decisions(events), ["0 high", "40 stale", "40 high", "80 stale"]);
  });

  for (const [value, edge] of [
    [75, "high"],
    [10, "low"],
  ] as const) {
    it(`ends with the edge that is true afterwards: ${edge}`, () => {
      const events: Event[] = [
        [0, 70],
        [1, WRONG],
        [2, value],
      ];
      assert.deepEqual(decisions(events), ["0 high", "1 implausible", `2 ${edge}`]);
    });
  }

  it("ends without an edge between the limits, and then waits for either", () => {
    const events: Event[] = [
      [0, 70],
      [1, WRONG],
      [2, 40],
      [3, 60],
    ];
    assert.deepEqual(decisions(events), ["0 high", "1 implausible", "3 high"]);
  });

  it("never acts on a value outside the plausible bounds, which are inclusive", () => {
    const rule = { min: 0, max: 100 };
    const events: Event[] = [
      [0, 100],
      [1, 255],
      [2, 0],
      [3, -0.1],
    ];
    assert.deepEqual(decisions(events, rule), ["0 high", "1 implausible", "2 low", "3 implausible"]);
  });

  it("never treats a value as stale if any age is allowed", () => {
    const never = { maxAge: 0 };
    const events: Event[] = [
      [0, record(70, -9000)],
      [9000, null],
    ];
    assert.deepEqual(decisions(events, never), ["0 high"]);
    assert.deepEqual(decisions([[9000, null]], never), []);
  });

  describe("and the wall clock is set", () => {
    it("back: nothing stays fresh longer", () => {
      const events: Event[] = [
        [0, record(70, 0)],
        [15, null],
        [15.001, null],
      ];
      const back = (minute: number): number => (minute > 0 ? -600 : 0);
      assert.deepEqual(decisions(events, {}, undefined, back), ["0 high", "15.001 stale"]);
    });

    it("ahead: the value of a record is stale, one without times is as old as before", () => {
      const ahead = (minute: number): number => (minute > 0 ? 600 : 0);
      const timed: Event[] = [
        [0, record(70, 0)],
        [1, null],
      ];
      assert.deepEqual(decisions(timed, {}, undefined, ahead), ["0 high", "1 stale"]);
      const untimed: Event[] = [
        [0, 70],
        [15, null],
        [15.001, null],
      ];
      assert.deepEqual(decisions(untimed, {}, undefined, ahead), ["0 high", "15.001 stale"]);
    });
  });

  describe("and no one knows what time it is", () => {
    const RULES = { ...RULE, repeat: 5 * MINUTE };
    const high = (reading: ThresholdReading): ThresholdState =>
      stepByReading(awaiting(), reading, moment(0), RULES).state;
    const unsure = (minute: number, isSetBy = 0): Moment => ({ ...moment(minute, isSetBy), isSure: false });

    it("repeats nothing, and decides on no record, until the time is sure", () => {
      const state = high(record(70, 0));
      assert.equal(stepByTime(state, unsure(6), RULES).decision, undefined);
      assert.equal(stepByReading(state, record(10, 6), unsure(6), RULES).state, state);
      assert.deepEqual(stepByTime(state, moment(6), RULES).decision, {
        edge: "high",
        value: 70,
        repeated: true,
      });
    });

    it("is unsafe once the value can have run out, with or without times", () => {
      for (const reading of [record(70, 0), { value: 70 }]) {
        assert.equal(stepByTime(high(reading), unsure(1, 13), RULE).decision, undefined);
        const slept = stepByTime(high(reading), unsure(1, 8 * 60), RULE);
        assert.deepEqual(slept.decision, { reason: "stale", value: 70 });
      }
    });

    it("is unsafe after a jump that no service can explain, but for what came later", () => {
      const state = high({ value: 70 });
      const jumped = { ...moment(1), knownSince: MINUTE / 2 };
      assert.deepEqual(stepByTime(state, jumped, RULE).decision, { reason: "stale", value: 70 });
      const later = stepByReading(state, { value: 71 }, jumped, RULE).state;
      assert.equal(stepByTime(later, jumped, RULE).decision, undefined);
    });
  });

  it("comes back with the record that it knew, once the time is sure and shows that this is still valid", () => {
    const rule = { maxAge: undefined };
    const RULES = { ...RULE, ...rule };
    const said = { ...record(70, 0), validUntil: NOW + 40 * MINUTE };
    const { state } = stepByReading(awaiting(), said, moment(0), RULES);
    for (const isSetBy of [-600, 600]) {
      const wrong = { ...moment(0, isSetBy), isSure: false };
      const step = stepByTime(afterRestart(state, wrong, RULES), wrong, RULES);
      assert.deepEqual(step.decision, { reason: "stale", value: 70 });
      const events: Event[] = [
        [1, { ...record(10, -1), validUntil: NOW + 39 * MINUTE }],
        [2, said],
        [3, said],
        [40.001, null],
        [41, { ...said, validUntil: NOW + 50 * MINUTE }],
      ];
      assert.deepEqual(decisions(events, rule, step.state), ["2 high", "40.001 stale"]);
    }
  });

  it("goes by what the message says, and without that by a quarter of an hour", () => {
    const automatic = { maxAge: undefined };
    const said = { ...record(70, 0), validUntil: NOW + 40 * MINUTE };
    const events = (reading: ThresholdReading): Event[] => [
      [0, reading],
      [15.001, null],
      [40, null],
      [40.001, null],
    ];
    assert.deepEqual(decisions(events(said), automatic), ["0 high", "40.001 stale"]);
    assert.deepEqual(decisions(events(record(70, 0)), automatic), ["0 high", "15.001 stale"]);
    assert.deepEqual(decisions(events({ value: 70 }), automatic), ["0 high", "15.001 stale"]);
  });

  it("repeats its side, but never while it is unsafe", () => {
    const repeat = 5 * MINUTE;
    const events: Event[] = [
      [0, 70],
      [4.9, null],
      [5, null],
      [6, 71],
      [9, null],
      [10, null],
      [11, WRONG],
      [16, null],
      [17, 10],
      [20, null],
      [22, null],
    ];
    const expected = ["0 high", "5 high again", "10 high again", "11 implausible", "17 low", "22 low again"];
    assert.deepEqual(decisions(events, { repeat }), expected);
    assert.deepEqual(
      decisions(
        [
          [0, 40],
          [5, null],
        ],
        { repeat },
      ),
      [],
    );
  });
});
