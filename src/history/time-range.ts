// Reads and checks the time ranges in messages: times with an offset, in order, not in the future, not too long.
import { InputError, TimeRangeError } from "../errors";
import { parseUserTime } from "../models/time";
import type { TimeWindow } from "../ledger/window";
import { HOUR } from "../time-units";

/** An object that may have `startTime` and `endTime`. */
type Times = Readonly<Record<string, unknown>>;

export interface RangeLimits {
  /** What holds the times, such as `msg`, for error texts. */
  place: string;
  maxDays: number;
}

/** The range from `startTime` to `endTime`. Throws InputError or TimeRangeError. */
export function readRange(times: Times, { place, maxDays }: RangeLimits, now: number): TimeWindow {
  const start = timeOf(times, "startTime", place);
  const end = timeOf(times, "endTime", place);
  assertNotFuture(start, `${place}.startTime`, now);
  if (end <= start) throw new TimeRangeError("rangeOrder", { place });
  assertNotLonger((end - start) / (24 * HOUR), maxDays);
  return { start, end };
}

/** `startTime` by itself, in milliseconds. Throws InputError or TimeRangeError. */
export function readStart(times: Times, place: string, now: number): number {
  const start = timeOf(times, "startTime", place);
  assertNotFuture(start, `${place}.startTime`, now);
  return start;
}

/** Throws TimeRangeError for a start in the future; `name` is the property that holds it. */
export function assertNotFuture(start: number, name: string, now: number): void {
  if (start >= now) throw new TimeRangeError("rangeFuture", { name });
}

/** Throws TimeRangeError for a range of more than `maxDays`. */
export function assertNotLonger(days: number, maxDays: number): void {
  if (days > maxDays) {
    throw new TimeRangeError("rangeTooLong", { days: maxDays });
  }
}

function timeOf(times: Times, name: "startTime" | "endTime", place: string): number {
  const value = times[name];
  const time = value instanceof Date ? value.getTime() : parseUserTime(value);
  if (time === undefined || Number.isNaN(time)) {
    throw new InputError("timeInvalid", { name: `${place}.${name}` });
  }
  return time;
}
