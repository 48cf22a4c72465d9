// Reads a time range from a message: msg.startTime and msg.endTime.
import type { NodeMessage } from "node-red";
import { type ErrorText, InputError, TimeRangeError } from "../../../../src/errors";
import { readRange, readStart } from "../../../../src/history/time-range";
import { MAX_WINDOW, type TimeWindow } from "../../../../src/ledger/window";
import { MAX_REQUESTS } from "../../../../src/limits";

/** One message holds all records of a range, so memory limits its length. */
const RULE = { place: "msg", maxDays: 366 };

/** For nodes that read no ranges: throws InputError if the message has one. `advice` says what to do instead. */
export function refuseRange(message: NodeMessage, advice: ErrorText): void {
  const name = ["startTime", "endTime"].find((property) => message[property] !== undefined);
  if (name) throw new InputError("noRange", { name, advice });
}

/** `msg.startTime` in milliseconds, or undefined. `now` is in milliseconds. */
export function rangeStart(message: NodeMessage, now: number): number | undefined {
  if (message["endTime"] !== undefined) throw new InputError("noEndTime");
  return message["startTime"] === undefined ? undefined : readStart(message, RULE.place, now);
}

/** The range from `msg.startTime` to `msg.endTime`. `now` is in milliseconds. Throws InputError or TimeRangeError. */
export function rangeOf(message: NodeMessage, now: number): TimeWindow {
  return readRange(message, RULE, now);
}

/** Requests for each series besides those for its windows: its site, and its newest record. */
const OTHER_REQUESTS = 2;
/** Requests at most to find out where the records of a series begin. */
export const SEARCH_REQUESTS = 28;

/**
 * Throws TimeRangeError if reading a range of this many series may take more requests than one message is worth. `search`:
 * requests for each series to find out where its records begin.
 */
export function assertFewRequests({ start, end }: TimeWindow, seriesCount: number, search = 0): void {
  const windows = Math.ceil((end - start) / MAX_WINDOW);
  // A present value of many systems is not a matter of the range.
  if (windows <= 1) return;
  if (seriesCount * (windows + OTHER_REQUESTS + search) > MAX_REQUESTS)
    throw new TimeRangeError("rangeRequests", { requests: MAX_REQUESTS });
}
