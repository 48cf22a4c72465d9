// Local days of a site as query windows: a day has 23, 24, 24.5 or 25 hours where clocks change.
import type { DateTime } from "luxon";
import { InputError } from "../errors";
import { splitWindow, type TimeWindow } from "../ledger/window";

/** Loaded only where days are asked for: no start of Node-RED waits for it. */
function luxon(): typeof import("luxon") {
  return require("luxon");
}

/**
 * The local day `day` (YYYY-MM-DD) of an IANA zone, from midnight to the next midnight.
 * Throws InputError for an unknown zone, and for a day that the zone does not have.
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

/** The requests that read `days` local days from `day` on: one a day, two for a day of more than 24 hours. */
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

/** Where clocks go back at midnight there are two, and a day begins with the first. */
function firstMoment(midnight: DateTime): number {
  return Math.min(...midnight.getPossibleOffsets().map((moment) => moment.toMillis()));
}
