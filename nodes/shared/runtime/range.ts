// Time ranges that come with a message, as msg.startTime and msg.endTime.
import { systemClock } from "../../../src/clock";
import type { NodeMessage } from "node-red";
import { type ErrorText, InputError } from "../../../src/errors";
import { readRange, readStart } from "../../../src/history/time-range";
import type { TimeWindow } from "../../../src/ledger/window";

/** One message holds a whole range, so it is kept to what memory bears. */
const RULE = { place: "msg", maxDays: 366 };

/** Throws InputError when a message asks a node for a range that takes none; `advice` says what to do instead. */
export function refuseRange(message: NodeMessage, advice: ErrorText): void {
  const name = ["startTime", "endTime"].find((property) => message[property] !== undefined);
  if (name) throw new InputError("noRange", { name, advice });
}

/** `msg.startTime`, where there is one, in milliseconds. */
export function rangeStart(message: NodeMessage): number | undefined {
  if (message["endTime"] !== undefined) throw new InputError("noEndTime");
  return message["startTime"] === undefined ? undefined : readStart(message, RULE.place, systemClock.now());
}

/** The range of `msg.startTime` and `msg.endTime`. Throws InputError or TimeRangeError. */
export function rangeOf(message: NodeMessage): TimeWindow {
  return readRange(message, RULE, systemClock.now());
}
