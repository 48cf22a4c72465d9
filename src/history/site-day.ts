// Local days of a site as time windows: with DST changes, a day has 23 to 25 hours.
import type { DateTime } from "luxon";
import { InputError } from "../errors";
import { splitWindow, type TimeWindow } from "../ledger/window";

/** Loaded on first use, so that it does not slow down the start of Node-RED. */
function luxon(): typeof import("luxon") {
  return require("luxon");
}

/**
 * The local day `day` (YYYY-MM-DD) in an IANA zone, from midnight to midnight.
 * Throws InputError for an unknown zone, or a day that does not exist in it.
 */
export function siteDay(zone: string, day: string): TimeWindow {
  const { DateTime, IANAZone } = luxon();
  if (!IANAZone.isValidZone(zone)) throw new InputError("zoneUnknown", { zone });
  const date = DateTime.fromFormat(day, "yyyy-MM-dd", { zone }).startOf("day");
  if (!date.isValid || date.toISODate() !== day) {
    throw new InputError("dayUnknown", { day, zone });
  }
  return dayFrom(zone, firstMoment(date));
}

/** The windows of `days` local days from `day` on: one per day, two for a day of more than 24 hours. */
export function siteDayWindows(zone: string, day: string, days = 1): TimeWindow[] {
  const windows: TimeWindow[] = [];
  let window = siteDay(zone, day);
  for (let count = 0; count < days; count += 1) {
    windows.push(...splitWindow(window));
    window = dayFrom(zone, window.end);
  }
  return windows;
}

function dayFrom(zone: string, start: number): TimeWindow {
  const nextDay = luxon().DateTime.fromMillis(start, { zone }).plus({ days: 1 }).startOf("day");
  return { start, end: firstMoment(nextDay) };
}

/** Where clocks go back at midnight there are two midnights; the day begins with the first. */
function firstMoment(midnight: DateTime): number {
  return Math.min(...midnight.getPossibleOffsets().map((moment) => moment.toMillis()));
}
