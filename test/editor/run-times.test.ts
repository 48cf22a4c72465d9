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

  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  for (const name of ["UTC", "Asia/Kathmandu", "America/St_Johns"])
    for (const minutes of [20, 30, 60]) {
      it(`are those of the schedule for ${minutes} minutes in ${name}: shortly after each`, () => {
        process.env["TZ"] = name;
        const [, values] = runTimes(minutes) ?? [];
        const run = new Date(nextRun(Date.UTC(2026, 5, 10, 10, 2), minutes * MINUTE, "a node"));
        const minute = `:${String(run.getMinutes()).padStart(2, "0")}`;
        assert.ok(String(values?.["times"]).split(", ").includes(minute), minute);
      });
    }
});
