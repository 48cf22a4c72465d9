// Tests for the line that says when a scheduled node runs: it agrees with what the schedule does.
import assert from "node:assert/strict";
import { runTimes } from "../../nodes/shared/editor/dialog/schedule-notes";
import { nextRun } from "../../nodes/shared/runtime/lifecycle/schedule";
import { MINUTE } from "../../src/time-units";

describe("the run times of a dialog", () => {
  for (const [minutes, ...expected] of [
    [0, "schedule.message"],
    [0.5, "schedule.every", { duration: "30 s" }],
    [1, "schedule.times", { times: ":00, :01, …" }],
    [5, "schedule.times", { times: ":00, :05, …" }],
    [7, "schedule.every", { duration: "7 min" }],
    [7.5, "schedule.every", { duration: "7 min 30 s" }],
    [15, "schedule.times", { times: ":00, :15, …" }],
    [20, "schedule.times", { times: ":00, :20, :40" }],
    [30, "schedule.times", { times: ":00, :30" }],
    [60, "schedule.times", { times: ":00" }],
    [90, "schedule.every", { duration: "1 h 30 min" }],
    [120, "schedule.every", { duration: "2 h" }],
    [1440, "schedule.day"],
    [10080, "schedule.every", { duration: "7 d" }],
  ] as const) {
    it(`are ${JSON.stringify(expected)} for ${minutes} minutes`, () => {
      assert.deepEqual(runTimes(minutes), expected);
    });
  }

  it("are none for what is not a valid number", () => {
    assert.equal(runTimes(Number.NaN), undefined);
    assert.equal(runTimes(-5), undefined);
    assert.equal(runTimes(Number.POSITIVE_INFINITY), undefined);
  });

  it("follow time zones whose hours begin at other minutes", () => {
    assert.deepEqual(runTimes(30, 345), ["schedule.times", { times: ":15, :45" }]);
    assert.deepEqual(runTimes(20, -210), ["schedule.times", { times: ":10, :30, :50" }]);
  });

  for (const minutes of [5, 20, 30]) {
    it(`are those of the schedule for ${minutes} minutes: shortly after each`, () => {
      const run = nextRun(Date.UTC(2026, 5, 10, 10, 2), minutes * MINUTE, "a node");
      const late = run % (minutes * MINUTE);
      assert.ok(late < MINUTE, `${late} ms late`);
    });
  }
});
