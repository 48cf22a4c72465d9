// Local days of a site as time windows: with DST changes, a day has 23 to 25 hours.
import { InputError } from "../errors";
import { splitWindow, type TimeWindow } from "../ledger/window";
import { assertZone, firstMoment, luxon } from "../models/local-time";
import { DAY } from "../time-units";
import { calendarOf } from "../totals/period";

/**
 * The local day `day` (YYYY-MM-DD) in an IANA zone, from midnight to midnight.
 * Throws InputError for an unknown zone, or a day that does not exist in it.
 */
export function siteDay(zone: string, day: string): TimeWindow {
  assertZone(zone);
  const date = luxon().DateTime.fromFormat(day, "yyyy-MM-dd", { zone }).startOf("day");
  if (!date.isValid || date.toISODate() !== day) throw new InputError("dayUnknown", { day, zone });
  return { start: firstMoment(date), end: firstMoment(date.plus({ days: 1 }).startOf("day")) };
}

/** The windows of `days` local days from `day` on: one per day, two for a day of more than 24 hours. */
export function siteDayWindows(zone: string, day: string, days = 1): TimeWindow[] {
  const { start } = siteDay(zone, day);
  // Longer than any such days.
  return siteDaysIn(zone, { start, end: start + (days + 2) * DAY }, days);
}

/** As above, for the local days of a span; the first `most` of them. */
export function siteDaysIn(zone: string, span: TimeWindow, most?: number): TimeWindow[] {
  const days = calendarOf(zone).days(span).slice(0, most);
  return days.flatMap(({ whole }) => splitWindow(whole));
}
