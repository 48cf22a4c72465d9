// Tests for the ranges that history can be set to: they follow the time zone of the site, whatever the month and DST.
import assert from "node:assert/strict";
import { planChoice, type RangeChoice } from "../../src/history/plan";
import { DAY, HOUR, type TimeWindow } from "../../src/time-units";
import { calendarOf } from "../../src/site-calendar";

const BERLIN = "Europe/Berlin";
/** Noon in Berlin. */
const NOW = Date.parse("2026-11-10T11:00:00Z");

function plan(range: RangeChoice["range"], days: { from?: string; to?: string } = {}, now = NOW): string[] {
  const windows = planChoice({ range, from: "", to: "", ...days }, BERLIN, now);
  return [windows[0]?.start ?? 0, windows.at(-1)?.end ?? 0].map((time) => new Date(time).toISOString());
}

describe("the range of history", () => {
  it("is the last 24 hours, to the millisecond", () => {
    const windows = planChoice({ range: "last24h", from: "", to: "" }, undefined, NOW + 7);
    assert.deepEqual(windows, [{ start: NOW + 7 - DAY, end: NOW + 7 }]);
  });

  it("is the local day before, which has 25 hours after the end of DST", () => {
    assert.deepEqual(plan("yesterday"), ["2026-11-08T23:00:00.000Z", "2026-11-09T23:00:00.000Z"]);
    const monday = Date.parse("2026-10-26T08:00:00Z");
    assert.deepEqual(plan("yesterday", {}, monday), ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"]);
  });

  it("is the calendar month before, whose length DST changes by an hour", () => {
    const march = Date.parse("2026-04-01T00:30:00Z");
    assert.deepEqual(plan("lastMonth", {}, march), ["2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z"]);
    assert.deepEqual(plan("lastMonth"), ["2026-09-30T22:00:00.000Z", "2026-10-31T23:00:00.000Z"]);
  });

  it("includes the first and the last day", () => {
    const days = { from: "2026-03-28", to: "2026-03-29" };
    assert.deepEqual(plan("fromTo", days), ["2026-03-27T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  });

  it("may end in the future, and refuses a first day in the future", () => {
    const days = { from: "2026-11-10", to: "2026-11-12" };
    assert.deepEqual(plan("fromTo", days), ["2026-11-09T23:00:00.000Z", "2026-11-12T23:00:00.000Z"]);
    assert.throws(() => plan("fromTo", { from: "2026-11-11", to: "2026-11-12" }), {
      code: "ENERGY_RANGE",
    });
  });

  it("needs a time zone for local days", () => {
    for (const zone of [undefined, "Mars/Base"])
      assert.throws(() => planChoice({ range: "yesterday", from: "", to: "" }, zone, NOW), {
        code: "ENERGY_INPUT",
      });
  });
});

describe("the day and month before", () => {
  /** The first and the last local day. */
  function daysOf(range: RangeChoice["range"], zone: string, now: string): string[] {
    const windows = planChoice({ range, from: "", to: "" }, zone, Date.parse(now));
    return [windows[0]?.start ?? 0, (windows.at(-1)?.end ?? 0) - 1].map((time) =>
      calendarOf(zone).iso(time).slice(0, 10),
    );
  }
  for (const [zone, now, day] of [
    [BERLIN, "2026-11-09T22:59:59Z", "2026-11-08"],
    [BERLIN, "2026-11-09T23:00:00Z", "2026-11-09"],
    ["America/Los_Angeles", "2026-11-10T07:59:00Z", "2026-11-08"],
    ["Pacific/Kiritimati", "2026-11-10T10:00:00Z", "2026-11-10"],
    // Clocks go back at midnight, so that the day begins an hour before the second midnight.
    ["America/Havana", "2025-11-02T04:30:00Z", "2025-11-01"],
    // Samoa skipped December 30.
    ["Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-29"],
  ] as const) {
    it(`is ${day} at ${now} in ${zone}`, () => {
      assert.deepEqual(daysOf("yesterday", zone, now), [day, day]);
    });
  }

  for (const [now, from, to] of [
    ["2026-03-31T12:00:00Z", "2026-02-01", "2026-02-28"],
    ["2028-03-01T00:00:00Z", "2028-02-01", "2028-02-29"],
    ["2027-01-15T00:00:00Z", "2026-12-01", "2026-12-31"],
    // Already April in Berlin.
    ["2026-03-31T22:00:00Z", "2026-03-01", "2026-03-31"],
  ] as const) {
    it(`is ${from} to ${to} at ${now}`, () => {
      assert.deepEqual(daysOf("lastMonth", BERLIN, now), [from, to]);
    });
  }

  const windowsOf = (zone: string, from: string, to: string): TimeWindow[] =>
    planChoice({ range: "fromTo", from, to }, zone, NOW);

  it("reads a month with a skipped day without reading into the next one", () => {
    const windows = windowsOf("Pacific/Apia", "2011-12-01", "2011-12-31");
    assert.equal(windows.length, 30);
    assert.equal(new Date(windows.at(-1)?.end ?? 0).toISOString(), "2011-12-31T10:00:00.000Z");
  });

  it("splits a day of 25 hours", () => {
    const windows = windowsOf(BERLIN, "2026-10-24", "2026-10-26");
    assert.deepEqual(
      windows.map(({ start, end }) => (end - start) / HOUR),
      [24, 24, 1, 24],
    );
  });
});
