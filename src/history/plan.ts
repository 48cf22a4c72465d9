// Reads and checks the ranges in messages, and plans the requests for them: time ranges, or local days of the site, which have 23
// to 25 hours where DST begins or ends.
import { type HistoryRemaining, InputError, TimeRangeError } from "../errors";
import { MAX_HISTORY_DAYS } from "../limits";
import { calendarOf, type LocalDay } from "../site-calendar";
import { commonPart, DAY, joinedWindows, splitWindow, type TimeWindow } from "../time-units";
import { isServiceObject, objectOf } from "../models/service-object";
import { parseUserTime } from "../models/time";

export interface SiteDays {
  /** The first local day, YYYY-MM-DD. */
  day: string;
  days: number;
}

/** A time range, or the parts of it that are to be read. */
export interface PartialRange extends TimeWindow {
  parts?: TimeWindow[];
}

export type HistoryRequest = PartialRange | SiteDays;

const PLACE = "msg.payload";
/** More parts than a run lists as remaining. */
const MAX_PARTS = 1000;

/** Reads a payload `{startTime, endTime}` or `{day, days}`. Throws InputError or TimeRangeError. */
export function readHistoryRequest(payload: unknown, maxDays = MAX_HISTORY_DAYS): HistoryRequest {
  const given = objectOf(payload);
  const isRange = given["startTime"] !== undefined || given["endTime"] !== undefined;
  const isDays = given["day"] !== undefined || given["days"] !== undefined;
  if (isRange === isDays) throw new InputError("historyRequest");
  if (isDays) return readDays(given, maxDays);
  const read = (times: Times): TimeWindow => readRange(times, PLACE, maxDays);
  const range = read(given);
  const { windows } = given;
  if (windows === undefined) return range;
  if (!Array.isArray(windows) || windows.length > MAX_PARTS) throw new InputError("historyRequest");
  // Whatever a message lists, no more is read than the range has, and in order.
  const parts = windows.map((one: unknown) => commonPart(read(objectOf(one)), range));
  return { ...range, parts: joinedWindows(parts) };
}

const REMAINING = ["startTime", "endTime", "siteId", "systemId"];

/** Whether a payload is the `remaining` of a run: a record has more than that. */
export function isRemaining(payload: unknown): payload is HistoryRemaining {
  if (!isServiceObject(payload)) return false;
  const { windows = [], ...others } = payload;
  return (
    Array.isArray(windows) &&
    ["startTime", "endTime"].every((name) => typeof payload[name] === "string") &&
    Object.entries(others).every(
      ([name, value]) => REMAINING.includes(name) && ["string", "undefined"].includes(typeof value),
    )
  );
}

function readDays({ day, days = 1 }: Record<string, unknown>, maxDays: number): SiteDays {
  if (typeof day !== "string") throw new InputError("dayInvalid");
  if (typeof days !== "number" || !Number.isInteger(days) || days < 1) throw new InputError("daysInvalid");
  assertNotLonger(days, maxDays);
  return { day, days };
}

/** One window per request, oldest first; each starts where the previous one ends, or later. They may lie in the future. */
export function planRange(range: PartialRange): TimeWindow[] {
  const { parts } = range;
  return parts ? parts.flatMap((part) => splitWindow(part)) : splitWindow(range);
}

/** As `planRange`, of local days. Throws InputError for an unknown zone or day, TimeRangeError for a day in the future. */
export function planDays({ day, days }: SiteDays, zone: unknown, now: number): TimeWindow[] {
  const calendar = calendarOf(zone);
  const { start } = calendar.day(day);
  assertNotFuture(start, `${PLACE}.day`, now);
  // Longer than any such days.
  const found = calendar.days({ start, end: start + (days + 2) * DAY });
  return windowsOf(found.slice(0, days));
}

/** What a node is set to read, instead of what a message says. */
export interface RangeChoice {
  range: "last24h" | "yesterday" | "lastMonth" | "fromTo";
  /** Local days YYYY-MM-DD, both included. */
  from: string;
  to: string;
}

/**
 * As `planRange`, of a range chosen in the node, whose settings say how many days there may be, and in which order. Throws InputError
 * for an unknown zone or day, TimeRangeError for the future.
 */
export function planChoice({ range, from, to }: RangeChoice, zone: unknown, now: number): TimeWindow[] {
  if (range === "last24h") return planRange({ start: now - DAY, end: now });
  const calendar = calendarOf(zone);
  const span =
    range === "fromTo"
      ? { start: calendar.day(from).start, end: calendar.day(to).end }
      : calendar.period(range, now);
  assertNotFuture(span.start, from, now);
  return windowsOf(calendar.days(span));
}

/** One for each day, two for a day of more than 24 hours. */
function windowsOf(days: readonly LocalDay[]): TimeWindow[] {
  return days.flatMap(({ whole }) => splitWindow(whole));
}

type Times = Readonly<Record<string, unknown>>;

/**
 * The range from `startTime` to `endTime`. Throws InputError or TimeRangeError.
 * @param place what holds the times, such as `msg`, for error texts
 */
export function readRange(times: Times, place: string, maxDays: number): TimeWindow {
  const start = readTime(times["startTime"], `${place}.startTime`);
  const end = readTime(times["endTime"], `${place}.endTime`);
  if (end <= start) throw new TimeRangeError("rangeOrder", { place });
  // Local days may have an hour more: what is left of them must be readable.
  assertNotLonger(Math.round((end - start) / DAY), maxDays);
  return { start, end };
}

/**
 * Throws TimeRangeError for a start in the future.
 * @param name the property that holds it
 */
export function assertNotFuture(start: number, name: string, now: number): void {
  if (start >= now) throw new TimeRangeError("rangeFuture", { name });
}

function assertNotLonger(days: number, maxDays: number): void {
  if (days > maxDays) throw new TimeRangeError("rangeTooLong", { days: maxDays });
}

/** A time of a message, in milliseconds. Throws InputError, which names its `place`. */
export function readTime(value: unknown, place: string): number {
  const time = value instanceof Date ? value.getTime() : parseUserTime(value);
  if (time === undefined || Number.isNaN(time)) throw new InputError("timeInvalid", { name: place });
  return time;
}
