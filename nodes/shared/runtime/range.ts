// Time ranges that come with a message, as msg.startTime and msg.endTime.
import type { NodeMessage } from "node-red";
import { InputError, TimeRangeError } from "../../../src/client/errors";
import { parseUserTime } from "../../../src/models/time";
import { HOUR, type TimeWindow } from "../../../src/records/window";

/** One message holds a whole range, so it is kept to what memory bears. */
const LONGEST_RANGE_DAYS = 366;

/** Throws InputError when a message asks a node for a range that takes none; `advice` says what to do instead. */
export function refuseRange(message: NodeMessage, advice: string): void {
  const name = ["startTime", "endTime"].find((property) => message[property] !== undefined);
  if (name) throw new InputError(`This node takes no msg.${name}. ${advice}`);
}

/** `msg.startTime`, where there is one, in milliseconds. */
export function rangeStart(message: NodeMessage): number | undefined {
  if (message.endTime !== undefined) throw new InputError("This node reads up to now: leave out msg.endTime");
  return message.startTime === undefined ? undefined : notInFuture(timeOf(message, "startTime"));
}

/** The range of `msg.startTime` and `msg.endTime`. Throws InputError or TimeRangeError. */
export function rangeOf(message: NodeMessage): TimeWindow {
  const start = notInFuture(timeOf(message, "startTime"));
  const end = timeOf(message, "endTime");
  if (end <= start) throw new TimeRangeError("msg.endTime must be after msg.startTime");
  if (end - start > LONGEST_RANGE_DAYS * 24 * HOUR) {
    throw new TimeRangeError(`The range is longer than ${LONGEST_RANGE_DAYS} days: ask for it in parts`);
  }
  return { start, end };
}

function timeOf(message: NodeMessage, name: "startTime" | "endTime"): number {
  const value = message[name];
  const time = value instanceof Date ? value.getTime() : parseUserTime(value);
  if (time === undefined || Number.isNaN(time)) {
    throw new InputError(`msg.${name} must be a time with its offset, such as 2026-03-29T12:00:00Z`);
  }
  return time;
}

function notInFuture(start: number): number {
  if (start >= Date.now())
    throw new TimeRangeError("msg.startTime lies in the future: there are no records yet");
  return start;
}
