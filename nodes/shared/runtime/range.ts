// Reads a time range from a message: msg.startTime and msg.endTime.
import type { NodeMessage } from "node-red";
import { type ErrorText, InputError } from "../../../src/errors";
import { readRange, readStart } from "../../../src/history/time-range";
import type { TimeWindow } from "../../../src/ledger/window";

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
