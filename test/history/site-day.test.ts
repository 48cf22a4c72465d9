// Tests for a site's local days: they follow the site's own time zone.
import assert from "node:assert/strict";
import { DateTime } from "luxon";
import { planDays } from "../../src/history/plan";
import { HOUR, MAX_WINDOW, type TimeWindow } from "../../src/time-units";
import { calendarOf } from "../../src/site-calendar";

const siteDay = (zone: string, day: string): TimeWindow => calendarOf(zone).day(day);
const siteDayWindows = (zone: string, day: string, days = 1): TimeWindow[] =>
  planDays({ day, days }, zone, Date.parse("2027-01-01T00:00:00Z"));

const hours = (zone: string, day: string): number => {
  const { start, end } = siteDay(zone, day);
  return (end - start) / HOUR;
};

describe("site days", () => {
  it("run from midnight to midnight of the site's zone", () => {
    const { start, end } = siteDay("Europe/Berlin", "2026-07-01");
    assert.equal(new Date(start).toISOString(), "2026-06-30T22:00:00.000Z");
    assert.equal(new Date(end).toISOString(), "2026-07-01T22:00:00.000Z");
  });

  it("have 23 hours in spring, 25 in autumn, and 24.5 if clocks change by half an hour", () => {
    assert.equal(hours("Europe/Berlin", "2026-03-29"), 23);
    assert.equal(hours("Europe/Berlin", "2026-10-25"), 25);
    assert.equal(hours("Australia/Lord_Howe", "2026-04-05"), 24.5);
    assert.equal(hours("Australia/Lord_Howe", "2026-10-04"), 23.5);
  });

  it("start at one o'clock if DST skips midnight", () => {
    const { start, end } = siteDay("America/Havana", "2026-03-08");
    assert.equal(new Date(start).toISOString(), "2026-03-08T05:00:00.000Z");
    assert.equal((end - start) / HOUR, 23);
  });

  for (const [zone, day, start] of [
    ["Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00.000Z"],
    ["America/Havana", "2025-11-02", "2025-11-02T04:00:00.000Z"],
  ] as const) {
    it(`start at the first of two midnights in ${zone}`, () => {
      assert.equal(new Date(siteDay(zone, day).start).toISOString(), start);
      assert.equal(hours(zone, day), 25);
      const before = DateTime.fromISO(day).minus({ days: 1 }).toISODate() ?? "";
      assert.equal(siteDay(zone, before).end, siteDay(zone, day).start);
    });
  }

  it("need two requests for a day of 25 hours", () => {
    const windows = siteDayWindows("Europe/Berlin", "2026-10-25");
    assert.deepEqual(
      windows.map(({ start, end }) => (end - start) / HOUR),
      [24, 1],
    );
  });

  it("are contiguous across a DST change", () => {
    const windows = siteDayWindows("Europe/Berlin", "2026-10-24", 3);
    assert.equal(windows.length, 4);
    windows.slice(1).forEach((window, index) => assert.equal(window.start, windows[index]?.end));
    assert.ok(windows.every(({ start, end }) => end - start <= MAX_WINDOW));
  });

  it("skip a day that the time zone skipped", () => {
    const windows = siteDayWindows("Pacific/Apia", "2011-12-29", 2);
    assert.equal(new Date(windows[1]?.end ?? 0).toISOString(), "2011-12-31T10:00:00.000Z");
  });

  for (const [zone, day] of [
    ["Pacific/Apia", "2011-12-30"],
    ["Europe/Berlin", "2026-02-30"],
    ["Europe/Berlin", "29.03.2026"],
    ["Europe/Berlin", ""],
    ["Mars/Base", "2026-03-29"],
  ] as const) {
    it(`reject ${day || "an empty day"} in ${zone}`, () => {
      assert.throws(() => siteDay(zone, day), { code: "ENERGY_INPUT" });
    });
  }
});
