// Reads time ranges that a flow asks for: times with their offset, in order, begun, and not longer than can be borne.
import { InputError, TimeRangeError } from "../errors";
import { parseUserTime } from "../models/time";
import type { TimeWindow } from "../ledger/window";
import { HOUR } from "../time-units";

/** Something that may hold `startTime` and `endTime`. */
type Times = Readonly<Record<string, unknown>>;

export interface RangeRule {
  /** Where the times stand, such as `msg`: errors name it. */
  place: string;
  longestDays: number;
}

/** The range from `startTime` to `endTime`. Throws InputError or TimeRangeError. */
export function readRange(times: Times, { place, longestDays }: RangeRule, now: number): TimeWindow {
  const start = timeOf(times, "startTime", place);
  const end = timeOf(times, "endTime", place);
  refuseFuture(start, `${place}.startTime`, now);
  if (end <= start) throw new TimeRangeError("rangeOrder", { place });
  refuseLonger((end - start) / (24 * HOUR), longestDays);
  return { start, end };
}

/** `startTime` by itself, in milliseconds. Throws InputError or TimeRangeError. */
export function readStart(times: Times, place: string, now: number): number {
  const start = timeOf(times, "startTime", place);
  refuseFuture(start, `${place}.startTime`, now);
  return start;
}

/** Throws TimeRangeError for a start that has not come yet; `name` is the property that it stands in. */
export function refuseFuture(start: number, name: string, now: number): void {
  if (start >= now) throw new TimeRangeError("rangeFuture", { name });
}

export function refuseLonger(days: number, longestDays: number): void {
  if (days > longestDays) {
    throw new TimeRangeError("rangeTooLong", { days: longestDays });
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
