// Tests for the history engine without a service: which requests a range needs, which records are sent, and progress.
import assert from "node:assert/strict";
import { HistoryPass } from "../../src/history/history-pass";
import { planDays, planRange, readHistoryRequest } from "../../src/history/plan";
import type { DueRecord } from "../../src/ledger/due-records";
import type { TimedRecord } from "../../src/models/telemetry";
import type { TimeWindow } from "../../src/ledger/window";
import { HOUR, MINUTE } from "../../src/time-units";

const NOW = Date.UTC(2026, 10, 10, 10, 7);
const DAY = 24 * HOUR;
const INPUT = { code: "ENERGY_INPUT" };
const RANGE = { code: "ENERGY_RANGE" };

describe("history plan", () => {
  const hours = (windows: TimeWindow[]): number[] => windows.map(({ start, end }) => (end - start) / HOUR);

  it("reads a range between two times, whatever their offsets", () => {
    const payload = {
      startTime: "2026-11-01T00:00:00+01:00",
      endTime: new Date(NOW),
      note: "unknown fields pass",
    };
    assert.deepEqual(readHistoryRequest(payload, NOW), { start: Date.UTC(2026, 9, 31, 23), end: NOW });
  });

  it("reads one day if no number of days is given", () => {
    assert.deepEqual(readHistoryRequest({ day: "2026-03-29" }, NOW), { day: "2026-03-29", days: 1 });
  });

  it("accepts ten years in either form, and not a day more", () => {
    const range = (startTime: string): object => ({ startTime, endTime: "2026-01-01T00:00:00Z" });
    assert.ok(readHistoryRequest(range("2016-01-01T00:00:00Z"), NOW));
    assert.ok(readHistoryRequest({ day: "2016-01-01", days: 3653 }, NOW));
    assert.throws(() => readHistoryRequest(range("2015-12-31T00:00:00Z"), NOW), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 3654 }, NOW), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 1e15 }, NOW), RANGE);
  });

  for (const [name, payload] of [
    ["a missing payload", undefined],
    ["text", '{"day": "2026-03-29"}'],
    ["an array", [1]],
    ["an empty object", {}],
    ["both forms together", { day: "2026-03-29", endTime: "2026-03-30T00:00:00Z" }],
    ["days without a first day", { days: 2 }],
    ["a day that is not text", { day: 20260329 }],
    ["a number of days as text", { day: "2026-03-29", days: "2" }],
    ["a number of days that is NaN", { day: "2026-03-29", days: Number.NaN }],
    ["an invalid date", { startTime: new Date("never"), endTime: new Date(NOW) }],
  ] as const) {
    it(`rejects ${name}`, () => {
      assert.throws(() => readHistoryRequest(payload, NOW), INPUT);
    });
  }

  it("omits windows that lie entirely in the future, but remembers where the range ends", () => {
    const plan = planRange({ start: NOW - 30 * HOUR, end: NOW + 7 * DAY }, NOW);
    assert.deepEqual(hours(plan.windows), [24, 24]);
    assert.equal(plan.end, NOW + 7 * DAY);
  });

  it("splits days at the site's local midnights, and a day of 25 hours in two", () => {
    const plan = planDays({ day: "2026-10-24", days: 3 }, "Europe/Berlin", NOW);
    assert.deepEqual(hours(plan.windows), [24, 24, 1, 24]);
    assert.equal(plan.windows[0]?.start, Date.UTC(2026, 9, 23, 22));
    assert.deepEqual(hours(planDays({ day: "2026-03-29", days: 1 }, "Europe/Berlin", NOW).windows), [23]);
  });

  it("reads the site's current day although it has not ended, and rejects the next day", () => {
    const today = planDays({ day: "2026-11-10", days: 1 }, "Europe/Berlin", NOW);
    assert.equal(today.windows.length, 1);
    assert.throws(() => planDays({ day: "2026-11-11", days: 1 }, "Europe/Berlin", NOW), RANGE);
    // There, it is already the 11th.
    assert.ok(planDays({ day: "2026-11-11", days: 1 }, "Pacific/Kiritimati", Date.UTC(2026, 10, 10, 11)));
  });

  for (const zone of [undefined, null, "", "Mars/Base", 7]) {
    it(`rejects days for a site with the time zone ${JSON.stringify(zone)}, and says what to request instead`, () => {
      const error = { ...INPUT, message: /startTime and endTime/ };
      assert.throws(() => planDays({ day: "2026-03-29", days: 1 }, zone, NOW), error);
    });
  }
});

describe("history pass", () => {
  const noon = Date.UTC(2026, 2, 29, 12);
  const first = { start: noon - DAY, end: noon };
  const second = { start: noon, end: noon + DAY };
  const record = (start: number, end: number): TimedRecord => ({
    record: { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() },
    start,
    end,
  });
  const aligned = record(noon - 5 * MINUTE, noon);
  const across = record(noon - 2 * MINUTE, noon + 3 * MINUTE);
  const later = record(noon + 3 * MINUTE, noon + 8 * MINUTE);

  /** Selects the records of a window, and sends them all. */
  function sent(pass: HistoryPass, ...selection: Parameters<HistoryPass["select"]>): DueRecord[] {
    const due = pass.select(...selection);
    pass.sent(due, selection[1]);
    return due;
  }

  it("returns a record that lies in two windows with the first of them", () => {
    const pass = new HistoryPass();
    assert.deepEqual(sent(pass, [aligned, across], first, NOW).length, 2);
    assert.deepEqual(
      sent(pass, [across, later], second, NOW).map(({ start }) => start),
      [later.start],
    );
  });

  it("returns it with the second if the first response did not include it yet", () => {
    const pass = new HistoryPass();
    sent(pass, [aligned], first, NOW);
    assert.deepEqual(sent(pass, [across, later], second, NOW).length, 2);
  });

  it("returns a record that is longer than a window only once", () => {
    const pass = new HistoryPass();
    const long = record(noon - HOUR, noon + DAY + HOUR);
    const third = { start: second.end, end: second.end + DAY };
    const taken = [first, second, third].map((window) => sent(pass, [long], window, NOW).length);
    assert.deepEqual(taken, [1, 0, 0]);
  });

  it("omits records that have not ended or were not requested", () => {
    const pass = new HistoryPass();
    assert.deepEqual(sent(pass, [record(noon - HOUR, noon)], first, noon - 1), []);
    assert.deepEqual(sent(pass, [later, record(noon, noon + HOUR)], first, NOW), []);
  });

  it("reports the cursor in the service's own notation", () => {
    const pass = new HistoryPass();
    const nested = record(noon - HOUR, noon - 30 * MINUTE);
    const long = record(noon - 2 * HOUR, noon - MINUTE);
    const cursors = sent(pass, [long, nested, aligned], first, NOW).map(({ cursor }) => cursor);
    const ends = [long, long, aligned].map(({ record }) => record.endTime);
    assert.deepEqual(cursors, ends);
  });

  it("continues after the last record returned, or at the start of the window", () => {
    const pass = new HistoryPass();
    assert.equal(pass.resumeFrom(first), first.start);
    sent(pass, [aligned], first, NOW);
    assert.equal(pass.resumeFrom(second), second.start);
    sent(pass, [across], second, NOW);
    assert.equal(pass.resumeFrom(second), across.end);
  });

  it("does not continue behind a record that was not sent", () => {
    const pass = new HistoryPass();
    const [one] = pass.select([across, later], second, NOW);
    assert.equal(pass.resumeFrom(second), second.start);
    if (one) pass.sent([one], second);
    assert.equal(pass.resumeFrom(second), across.end);
  });
});
