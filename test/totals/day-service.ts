// Shared by tests of the days of a system: a service with hourly records, and a reader of its days.
import assert from "node:assert/strict";
import type { TimedRecord } from "../../src/models/telemetry";
import { answered, type WindowRecords } from "../../src/reading/window-records";
import { isInWindow, type TimeWindow } from "../../src/time-units";
import { calendarOf } from "../../src/site-calendar";
import type { DayStores } from "../../src/totals/stored-days";
import { type DayRun, type DayTotals, type PricedDayRule, SystemDays } from "../../src/totals/system-days";
import { COMPLETE, record, START } from "./energy";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const CALENDAR = calendarOf("UTC");
export const RULE: PricedDayRule = {
  calendar: CALENDAR,
  absent: COMPLETE,
  priority: "house",
  moneyIn: async () => undefined,
  keyOf: async () => "rule",
  hasDatedPrices: false,
  split: "none",
};

/** An answer with the records that overlap a window. */
export function readFrom(all: readonly TimedRecord[], window: TimeWindow): Promise<WindowRecords> {
  const records = all.filter((one) => isInWindow(one, window));
  return Promise.resolve(answered(window, { records, unreadable: [] }));
}

/** A service with records of an hour that charge 100 by night and use them by day. */
export class Service {
  readonly requests: [start: number, end: number][] = [];
  records: TimedRecord[] = Array.from({ length: 96 }, (_none, hour) => {
    const isNight = hour % 24 < 6;
    const stored = isNight ? 100 * ((hour % 24) + 1) : Math.max(0, 600 - 100 * ((hour % 24) - 5));
    const minute = hour * 60;
    return isNight
      ? record(minute, minute + 60, { imported: 100, charged: 100, stored })
      : record(minute, minute + 60, {
          discharged: stored > 0 || hour % 24 === 11 ? 100 : 0,
          consumed: 100,
          imported: hour % 24 > 11 ? 100 : 0,
          stored,
        });
  });

  run(now: number, isByMessage = false): DayRun {
    return {
      now,
      isByMessage,
      read: ({ start, end }) => {
        this.requests.push([(start - START) / HOUR, (end - START) / HOUR]);
        assert.ok(end - start <= DAY);
        const ended = this.records.filter((one) => one.end <= now);
        return readFrom(ended, { start, end });
      },
    };
  }
}

export function totals(
  stores: DayStores,
  run: DayRun,
  from: number,
  to: number,
  rule = RULE,
): Promise<DayTotals[]> {
  const span = { start: START + from * DAY, end: START + to * DAY };
  return new SystemDays(stores, rule, run).read(CALENDAR.days(span).filter(({ start }) => start < run.now));
}

/** What a schedule sends of earlier days. */
export function sending(sent: DayTotals[], withSkipped = false): NonNullable<DayRun["earlier"]> {
  return { withSkipped, send: (one) => Promise.resolve(sent.push(one)) };
}
