// Promises of history without a service: which requests a range takes, which records they bring, how far a run has come.
import assert from "node:assert/strict";
import { HistoryPass } from "../../src/history/pass";
import { planDays, planRange, readHistoryRequest } from "../../src/history/plan";
import { ProgressMeter } from "../../src/history/progress";
import type { TimedRecord } from "../../src/models/timed-record";
import type { TimeWindow } from "../../src/ledger/window";
import { HOUR, MINUTE } from "../../src/time-units";

const NOW = Date.UTC(2026, 10, 10, 10, 7);
const DAY = 24 * HOUR;
const INPUT = { code: "ENERGY_INPUT" };
const RANGE = { code: "ENERGY_RANGE" };

describe("the plan of history", () => {
  const hours = (windows: TimeWindow[]): number[] => windows.map(({ start, end }) => (end - start) / HOUR);

  it("reads a range between two times, whatever their offsets", () => {
    const payload = {
      startTime: "2026-11-01T00:00:00+01:00",
      endTime: new Date(NOW),
      note: "unknown fields pass",
    };
    assert.deepEqual(readHistoryRequest(payload, NOW), { start: Date.UTC(2026, 9, 31, 23), end: NOW });
  });

  it("takes one day where no number of days is given", () => {
    assert.deepEqual(readHistoryRequest({ day: "2026-03-29" }, NOW), { day: "2026-03-29", days: 1 });
  });

  it("bears ten years, in either form, and not a day more", () => {
    const range = (startTime: string): object => ({ startTime, endTime: "2026-01-01T00:00:00Z" });
    assert.ok(readHistoryRequest(range("2016-01-01T00:00:00Z"), NOW));
    assert.ok(readHistoryRequest({ day: "2016-01-01", days: 3653 }, NOW));
    assert.throws(() => readHistoryRequest(range("2015-12-31T00:00:00Z"), NOW), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 3654 }, NOW), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 1e15 }, NOW), RANGE);
  });

  for (const [name, payload] of [
    ["nothing", undefined],
    ["a text", '{"day": "2026-03-29"}'],
    ["a list", [1]],
    ["an empty object", {}],
    ["both forms", { day: "2026-03-29", endTime: "2026-03-30T00:00:00Z" }],
    ["days without the first", { days: 2 }],
    ["a day that is no text", { day: 20260329 }],
    ["a number of days in a text", { day: "2026-03-29", days: "2" }],
    ["days that are no number", { day: "2026-03-29", days: Number.NaN }],
    ["a date that is none", { startTime: new Date("never"), endTime: new Date(NOW) }],
  ] as const) {
    it(`refuses ${name}`, () => {
      assert.throws(() => readHistoryRequest(payload, NOW), INPUT);
    });
  }

  it("leaves out windows that lie wholly in the future, but remembers where the range ends", () => {
    const plan = planRange({ start: NOW - 30 * HOUR, end: NOW + 7 * DAY }, NOW);
    assert.deepEqual(hours(plan.windows), [24, 24]);
    assert.equal(plan.end, NOW + 7 * DAY);
  });

  it("cuts days at the midnights of the site, and a day of 25 hours in two", () => {
    const plan = planDays({ day: "2026-10-24", days: 3 }, "Europe/Berlin", NOW);
    assert.deepEqual(hours(plan.windows), [24, 24, 1, 24]);
    assert.equal(plan.windows[0]?.start, Date.UTC(2026, 9, 23, 22));
    assert.deepEqual(hours(planDays({ day: "2026-03-29", days: 1 }, "Europe/Berlin", NOW).windows), [23]);
  });

  it("reads the site's today although it has not ended, and refuses its tomorrow", () => {
    const today = planDays({ day: "2026-11-10", days: 1 }, "Europe/Berlin", NOW);
    assert.equal(today.windows.length, 1);
    assert.throws(() => planDays({ day: "2026-11-11", days: 1 }, "Europe/Berlin", NOW), RANGE);
    // There it is the 11th already.
    assert.ok(planDays({ day: "2026-11-11", days: 1 }, "Pacific/Kiritimati", Date.UTC(2026, 10, 10, 11)));
  });

  for (const zone of [undefined, null, "", "Mars/Base", 7]) {
    it(`refuses days of a site with the time zone ${JSON.stringify(zone)}, and says what to ask for instead`, () => {
      const error = { ...INPUT, message: /startTime and endTime/ };
      assert.throws(() => planDays({ day: "2026-03-29", days: 1 }, zone, NOW), error);
    });
  }
});

describe("a pass over history", () => {
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

  it("hands on a record that lies in two windows with the first of them", () => {
    const pass = new HistoryPass();
    assert.deepEqual(pass.select([aligned, across], first, NOW).length, 2);
    assert.deepEqual(
      pass.select([across, later], second, NOW).map(({ start }) => start),
      [later.start],
    );
  });

  it("hands it on with the second where the first answer did not have it yet", () => {
    const pass = new HistoryPass();
    pass.select([aligned], first, NOW);
    assert.deepEqual(pass.select([across, later], second, NOW).length, 2);
  });

  it("knows a record that is longer than a window in every one that it lies in", () => {
    const pass = new HistoryPass();
    const long = record(noon - HOUR, noon + DAY + HOUR);
    const third = { start: second.end, end: second.end + DAY };
    const taken = [first, second, third].map((window) => pass.select([long], window, NOW).length);
    assert.deepEqual(taken, [1, 0, 0]);
  });

  it("leaves out what has not ended, and what the service gave although it was not asked for", () => {
    const pass = new HistoryPass();
    assert.deepEqual(pass.select([record(noon - HOUR, noon)], first, noon - 1), []);
    assert.deepEqual(pass.select([later, record(noon, noon + HOUR)], first, NOW), []);
  });

  it("tells up to where the records have come, as the service wrote it", () => {
    const pass = new HistoryPass();
    const nested = record(noon - HOUR, noon - 30 * MINUTE);
    const long = record(noon - 2 * HOUR, noon - MINUTE);
    const cursors = pass.select([long, nested, aligned], first, NOW).map(({ cursor }) => cursor);
    const ends = [long, long, aligned].map(({ record }) => record.endTime);
    assert.deepEqual(cursors, ends);
  });

  it("goes on behind the last record handed on, or where it was to go on", () => {
    const pass = new HistoryPass();
    assert.equal(pass.resumeFrom(first), first.start);
    pass.select([aligned], first, NOW);
    assert.equal(pass.resumeFrom(second), second.start);
    pass.select([across], second, NOW);
    assert.equal(pass.resumeFrom(second), across.end);
  });
});

describe("the progress of history", () => {
  it("counts requests, and calls only the whole 100 percent", () => {
    const meter = new ProgressMeter(400, 0);
    for (let count = 0; count < 399; count += 1) meter.count(2);
    assert.deepEqual(meter.report(0), {
      done: 399,
      total: 400,
      records: 798,
      percent: 99,
      finished: false,
      cancelled: false,
    });
    meter.count(0);
    assert.equal(meter.report(0, { finished: true }).percent, 100);
  });

  it("is told once a second at the most, and at the end only by what ends it", () => {
    const meter = new ProgressMeter(3, 0);
    assert.equal(meter.isDue(0), true);
    meter.report(0);
    meter.count(1);
    assert.deepEqual([meter.isDue(999), meter.isDue(1000)], [false, true]);
    meter.report(1000);
    assert.equal(meter.isDue(1999), false);
    meter.count(1);
    meter.count(1);
    assert.equal(meter.isDue(60_000), false);
  });

  it("guesses the time left from the time that the requests so far have taken", () => {
    const meter = new ProgressMeter(10, 5000);
    meter.count(288);
    meter.count(288);
    assert.equal(meter.secondsLeft(8000), 12);
  });

  it("is nothing of nothing before it is known what is asked for", () => {
    assert.equal(new ProgressMeter(0, 0).report(0).percent, 0);
  });
});
