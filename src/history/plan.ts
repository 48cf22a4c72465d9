// Plans the requests for a history range: a time range, or local days of the site.
import { InputError } from "../errors";
import { siteDayWindows } from "./site-day";
import { readRange, assertNotFuture, assertNotLonger } from "./time-range";
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

/** Ten years. */
const MAX_DAYS = 3653;
const PLACE = "msg.payload";

/** Reads a payload `{startTime, endTime}` or `{day, days}`. Throws InputError or TimeRangeError. */
export function readHistoryRequest(payload: unknown, now: number): HistoryRequest {
  const asked: Record<string, unknown> = typeof payload === "object" ? { ...payload } : {};
  const isRange = asked["startTime"] !== undefined || asked["endTime"] !== undefined;
  const isDays = asked["day"] !== undefined || asked["days"] !== undefined;
  if (isRange === isDays) {
    throw new InputError("historyRequest");
  }
  return isDays ? readDays(asked) : readRange(asked, { place: PLACE, maxDays: MAX_DAYS }, now);
}

function readDays({ day, days = 1 }: Record<string, unknown>): SiteDays {
  if (typeof day !== "string") {
    throw new InputError("dayInvalid");
  }
  if (typeof days !== "number" || !Number.isInteger(days) || days < 1) {
    throw new InputError("daysInvalid");
  }
  assertNotLonger(days, MAX_DAYS);
  return { day, days };
}

/** The windows of a range, without those entirely in the future. */
export function planRange(range: TimeWindow, now: number): HistoryPlan {
  return planOf(splitWindow(range), now);
}

/** The windows of local days. Throws InputError for an unknown zone or day, TimeRangeError for a day in the future. */
export function planDays({ day, days }: SiteDays, zone: unknown, now: number): HistoryPlan {
  if (typeof zone !== "string") {
    throw new InputError("zoneMissing");
  }
  const windows = siteDayWindows(zone, day, days);
  assertNotFuture(windows[0]?.start ?? now, `${PLACE}.day`, now);
  return planOf(windows, now);
}

function planOf(windows: TimeWindow[], now: number): HistoryPlan {
  return { windows: windows.filter(({ start }) => start < now), end: windows.at(-1)?.end ?? now };
}
