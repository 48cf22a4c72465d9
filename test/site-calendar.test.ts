// Tests for the calendar of a site: its periods, days and hours, and its time zone, which is a text of the service.
import assert from "node:assert/strict";
import { calendarOf } from "../src/site-calendar";

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

describe("periods of a site", () => {
  it("begins weeks on Monday, and months and years by the local calendar", () => {
    const berlin = calendarOf("Europe/Berlin");
    // A Wednesday.
    const now = at("2026-03-04T12:00:00Z");
    const week = berlin.period("week", now);
    assert.deepEqual([week.start, week.end], [at("2026-03-01T23:00:00Z"), at("2026-03-08T23:00:00Z")]);
    assert.equal(berlin.period("lastWeek", now).end, week.start);
    const month = berlin.period("lastMonth", now);
    assert.deepEqual([month.start, month.end], [at("2026-01-31T23:00:00Z"), at("2026-02-28T23:00:00Z")]);
    const year = berlin.period("year", now);
    assert.deepEqual([year.start, year.end], [at("2025-12-31T23:00:00Z"), at("2026-12-31T23:00:00Z")]);
  });

  it("has days of 23 and 25 hours where clocks change", () => {
    const berlin = calendarOf("Europe/Berlin");
    for (const [day, hours] of [
      ["2026-03-29", 23],
      ["2026-10-25", 25],
      ["2026-05-04", 24],
    ] as const) {
      const period = berlin.period("today", at(`${day}T10:00:00Z`));
      assert.equal((period.end - period.start) / HOUR, hours, day);
      const [one] = berlin.days(period);
      assert.ok(one);
      assert.equal(berlin.hours(one).length, hours, day);
      assert.equal(one.days, 1);
      assert.equal(one.date, day);
    }
  });

  it("has an hour of half an hour where clocks change by that", () => {
    const lordHowe = calendarOf("Australia/Lord_Howe");
    for (const [day, hours] of [
      ["2026-04-05", 24.5],
      ["2026-10-04", 23.5],
    ] as const) {
      const period = lordHowe.period("today", at(`${day}T01:00:00Z`));
      assert.equal((period.end - period.start) / HOUR, hours, day);
      const [one] = lordHowe.days(period);
      assert.ok(one);
      const lengths = lordHowe.hours(one).map(({ start, end }) => (end - start) / HOUR);
      // At two in the morning.
      assert.deepEqual([lengths.indexOf(0.5), lengths.lastIndexOf(0.5)], [2, 2], day);
      assert.equal(
        lengths.reduce((sum, length) => sum + length, 0),
        hours,
      );
    }
  });

  it("has the offset of each quarter of an hour where clocks change", () => {
    const lordHowe = calendarOf("Australia/Lord_Howe");
    assert.deepEqual(
      ["14:45", "15:00", "15:15", "16:07"].map((time) => lordHowe.iso(at(`2026-04-04T${time}:00Z`))),
      [
        "2026-04-05T01:45:00+11:00",
        "2026-04-05T01:30:00+10:30",
        "2026-04-05T01:45:00+10:30",
        "2026-04-05T02:37:00+10:30",
      ],
    );
  });

  it("asks its zone little more than once for each day: years must not hold the event loop", () => {
    const { prototype } = Intl.DateTimeFormat;
    const method = Object.getOwnPropertyDescriptor(prototype, "formatToParts") ?? assert.fail();
    let asked = 0;
    // Not a spy, which keeps every call with its stack.
    const value = new Proxy(method.value as () => unknown, {
      apply(target, zone, given) {
        asked += 1;
        return Reflect.apply(target, zone, given) as unknown;
      },
    });
    Object.defineProperty(prototype, "formatToParts", { ...method, value });
    try {
      const oslo = calendarOf("Europe/Oslo");
      const days = oslo.days({ start: at("2024-01-01T00:00:00Z"), end: at("2026-01-01T00:00:00Z") });
      for (const { start } of days) oslo.unitOf(start, "month");
      assert.equal(days.length, 732);
      assert.ok(asked >= days.length && asked < 1.2 * days.length, String(asked));
    } finally {
      Object.defineProperty(prototype, "formatToParts", method);
    }
  });

  it("cuts days to the span, with their share of the day and month", () => {
    const utc = calendarOf("UTC");
    const days = utc.days({ start: at("2026-04-01T12:00:00Z"), end: at("2026-04-03T06:00:00Z") });
    assert.deepEqual(
      days.map(({ days: share }) => share),
      [0.5, 1, 0.25],
    );
  });
});

describe("the time zone of a site", () => {
  it("is an IANA zone", () => assert.doesNotThrow(() => calendarOf("Europe/Berlin")));

  it("is not shown where it is unknown, because it may be an echoed secret", () =>
    assert.throws(() => calendarOf("opensesame"), {
      code: "ENERGY_INPUT",
      message: "The time zone of the site is unknown. Use history with startTime and endTime.",
    }));

  for (const zone of [undefined, null, 7])
    it(`is missing if it is ${zone}`, () =>
      assert.throws(() => calendarOf(zone), /The site has no time zone/));
});
