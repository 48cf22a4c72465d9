// Tests for the history engine without a service: which requests a range needs.
import assert from "node:assert/strict";
import { planDays, planRange, readHistoryRequest } from "../../src/history/plan";
import { DAY, HOUR, isoRange, type TimeWindow } from "../../src/time-units";

const NOW = Date.UTC(2026, 10, 10, 10, 7);
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
    assert.deepEqual(readHistoryRequest(payload), { start: Date.UTC(2026, 9, 31, 23), end: NOW });
  });

  it("reads one day if no number of days is given", () => {
    assert.deepEqual(readHistoryRequest({ day: "2026-03-29" }), { day: "2026-03-29", days: 1 });
  });

  it("accepts ten years in either form, and not a day more", () => {
    const range = (startTime: string): object => ({ startTime, endTime: "2026-01-01T00:00:00Z" });
    assert.ok(readHistoryRequest(range("2016-01-01T00:00:00Z")));
    assert.ok(readHistoryRequest({ day: "2016-01-01", days: 3653 }));
    assert.throws(() => readHistoryRequest(range("2015-12-31T00:00:00Z")), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 3654 }), RANGE);
    assert.throws(() => readHistoryRequest({ day: "2016-01-01", days: 1e15 }), RANGE);
  });

  it("goes on with what is left of ten years of local days that have an hour more", () => {
    const plan = planDays({ day: "2016-03-28", days: 3653 }, "Europe/Berlin", Date.UTC(2026, 10, 10));
    const all = { start: plan[0]?.start ?? 0, end: plan.at(-1)?.end ?? 0 };
    assert.equal(all.end - all.start, 3653 * DAY + HOUR);
    assert.deepEqual(readHistoryRequest(isoRange(all)), all);
  });

  it("requests no part of what is left twice, and none beyond the range, whatever a message lists", () => {
    const at = (day: number): string => new Date(Date.UTC(2026, 9, day)).toISOString();
    const part = (from: number, to: number): object => ({ startTime: at(from), endTime: at(to) });
    const many = Array.from({ length: 900 }, () => part(5, 8));
    const request = readHistoryRequest({ ...part(1, 10), windows: [...many, part(2, 3), part(9, 20)] });
    assert.ok("start" in request);
    assert.deepEqual(
      planRange(request).map(({ start }) => new Date(start).getUTCDate()),
      [2, 5, 6, 7, 9],
    );
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
      assert.throws(() => readHistoryRequest(payload), INPUT);
    });
  }

  it("splits days at the site's local midnights, and a day of 25 hours in two", () => {
    const plan = planDays({ day: "2026-10-24", days: 3 }, "Europe/Berlin", NOW);
    assert.deepEqual(hours(plan), [24, 24, 1, 24]);
    assert.equal(plan[0]?.start, Date.UTC(2026, 9, 23, 22));
    assert.deepEqual(hours(planDays({ day: "2026-03-29", days: 1 }, "Europe/Berlin", NOW)), [23]);
  });

  it("reads the site's current day although it has not ended, and rejects the next day", () => {
    const today = planDays({ day: "2026-11-10", days: 1 }, "Europe/Berlin", NOW);
    assert.equal(today.length, 1);
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
