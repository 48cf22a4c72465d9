// Plans the requests for a history range: a time range, or local days of the site.
import { InputError } from "../errors";
import { MAX_HISTORY_DAYS } from "../limits";
import { type DayRange, lastMonth, siteDayWindows, siteDaysBetween, yesterday } from "./site-day";
import { readRange, assertNotFuture, assertNotLonger } from "./time-range";
import { DAY } from "../time-units";
import { splitWindow, type TimeWindow } from "../ledger/window";

export interface SiteDays {
  /** The first local day, YYYY-MM-DD. */
  day: string;
  days: number;
}

/** A time range, or local days of the site. */
export type HistoryRequest = TimeWindow | SiteDays;

export interface HistoryPlan {
  /** One per request, oldest first; each starts where the previous one ends. */
  windows: TimeWindow[];
  /** End of the range, in milliseconds: after the last window if the range reaches into the future. */
  end: number;
}

const PLACE = "msg.payload";

/** Reads a payload `{startTime, endTime}` or `{day, days}`. Throws InputError or TimeRangeError. */
export function readHistoryRequest(payload: unknown, now: number): HistoryRequest {
  const asked: Record<string, unknown> = typeof payload === "object" ? { ...payload } : {};
  const isRange = asked["startTime"] !== undefined || asked["endTime"] !== undefined;
  const isDays = asked["day"] !== undefined || asked["days"] !== undefined;
  if (isRange === isDays) {
    throw new InputError("historyRequest");
  }
  return isDays ? readDays(asked) : readRange(asked, { place: PLACE, maxDays: MAX_HISTORY_DAYS }, now);
}

function readDays({ day, days = 1 }: Record<string, unknown>): SiteDays {
  if (typeof day !== "string") {
    throw new InputError("dayInvalid");
  }
  if (typeof days !== "number" || !Number.isInteger(days) || days < 1) {
    throw new InputError("daysInvalid");
  }
  assertNotLonger(days, MAX_HISTORY_DAYS);
  return { day, days };
}

/** The windows of a range, without those entirely in the future. */
export function planRange(range: TimeWindow, now: number): HistoryPlan {
  return planOf(splitWindow(range), now);
}

/** The windows of local days. Throws InputError for an unknown zone or day, TimeRangeError for a day in the future. */
export function planDays({ day, days }: SiteDays, zone: unknown, now: number): HistoryPlan {
  const windows = siteDayWindows(zoneOf(zone), day, days);
  assertNotFuture(windows[0]?.start ?? now, `${PLACE}.day`, now);
  return planOf(windows, now);
}

/** What a node is set to read, instead of what a message says. */
export interface RangeChoice extends DayRange {
  range: "last24Hours" | "yesterday" | "lastMonth" | "days";
}

/**
 * The windows of a range chosen in the node. Throws InputError for an unknown zone or day, TimeRangeError for the future,
 * ConfigError for days in the wrong order or too many of them.
 */
export function planChoice(choice: RangeChoice, zone: unknown, now: number): HistoryPlan {
  if (choice.range === "last24Hours") return planRange({ start: now - DAY, end: now }, now);
  const windows = siteDaysBetween(zoneOf(zone), daysOf(choice, zoneOf(zone), now));
  assertNotFuture(windows[0]?.start ?? now, choice.from, now);
  return planOf(windows, now);
}

function daysOf(choice: RangeChoice, zone: string, now: number): DayRange {
  switch (choice.range) {
    case "yesterday":
      return yesterday(zone, now);
    case "lastMonth":
      return lastMonth(zone, now);
    default:
      return choice;
  }
}

function zoneOf(zone: unknown): string {
  if (typeof zone !== "string") throw new InputError("zoneMissing");
  return zone;
}

function planOf(windows: TimeWindow[], now: number): HistoryPlan {
  return { windows: windows.filter(({ start }) => start < now), end: windows.at(-1)?.end ?? now };
}
