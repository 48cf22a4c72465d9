// Local days of a site as time windows: with DST changes, a day has 23 to 25 hours.
import type { DateTime } from "luxon";
import { InputError } from "../errors";
import { splitWindow, type TimeWindow } from "../ledger/window";
import { assertZone, firstMoment, localTime, luxon } from "../models/local-time";

/** Local days YYYY-MM-DD, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/**
 * The local day `day` (YYYY-MM-DD) in an IANA zone, from midnight to midnight.
 * Throws InputError for an unknown zone, or a day that does not exist in it.
 */
export function siteDay(zone: string, day: string): TimeWindow {
  assertZone(zone);
  const { DateTime } = luxon();
  const date = DateTime.fromFormat(day, "yyyy-MM-dd", { zone }).startOf("day");
  if (!date.isValid || date.toISODate() !== day) {
    throw new InputError("dayUnknown", { day, zone });
  }
  return dayFrom(zone, firstMoment(date));
}

/** The windows of `days` local days from `day` on: one per day, two for a day of more than 24 hours. */
export function siteDayWindows(zone: string, day: string, days = 1): TimeWindow[] {
  return windowsFrom(zone, day, (_window, index) => index < days);
}

/** As above, for the local days `from` to `to`, both included. */
export function siteDaysBetween(zone: string, { from, to }: DayRange): TimeWindow[] {
  const { end } = siteDay(zone, to);
  return windowsFrom(zone, from, ({ start }) => start < end);
}

function windowsFrom(
  zone: string,
  first: string,
  isIncluded: (day: TimeWindow, index: number) => boolean,
): TimeWindow[] {
  const windows: TimeWindow[] = [];
  let day = siteDay(zone, first);
  for (let index = 0; isIncluded(day, index); index += 1) {
    windows.push(...splitWindow(day));
    day = dayFrom(zone, day.end);
  }
  return windows;
}

/** The local day before the one of `now`. Throws InputError for an unknown zone. */
export function yesterday(zone: string, now: number): DayRange {
  assertZone(zone);
  const day = dayBefore(zone, localTime(zone, now).startOf("day"));
  return { from: day, to: day };
}

/** The local days of the month before the one of `now`. Throws InputError for an unknown zone. */
export function lastMonth(zone: string, now: number): DayRange {
  assertZone(zone);
  const to = dayBefore(zone, localTime(zone, now).startOf("month"));
  return { from: to.replace(/\d\d$/, "01"), to };
}

/** The local day that ends at this midnight, which is not always the date before: time zones have skipped whole days. */
function dayBefore(zone: string, midnight: DateTime): string {
  return localTime(zone, firstMoment(midnight) - 1).toFormat("yyyy-MM-dd");
}

function dayFrom(zone: string, start: number): TimeWindow {
  const nextDay = localTime(zone, start).plus({ days: 1 }).startOf("day");
  return { start, end: firstMoment(nextDay) };
}
