// Extracts what a threshold decides on from an incoming message: the value and its age, or why there is no value.
import type { NodeMessage } from "node-red";
import type { ThresholdReading } from "../../src/decisions/threshold";
import { InputError } from "../../src/errors";
import { readMessage } from "../../src/messages/reader";
import { kindOf, isServiceObject } from "../../src/models/service-object";
import { parseServiceTime } from "../../src/models/time";

/**
 * The message to decide on; undefined for backlog, because an old record must not switch anything. A batch is reduced
 * to its newest live record, as if it had been sent alone. A message without a phase counts as live.
 */
export function liveMessage(message: NodeMessage): NodeMessage | undefined {
  const { isBatch, phase, parts } = readMessage(message);
  if (!isBatch) return phase === undefined || phase === "live" ? message : undefined;
  const newest = parts.findLast(({ isLive }) => isLive);
  return newest && { ...message, payload: newest.record, energy: newest.energy };
}

/** The reading of a live message; `valueOf` extracts the value. Rejects with InputError if that is not a number. */
export async function readingOf(
  live: NodeMessage,
  valueOf: (message: NodeMessage) => Promise<unknown>,
): Promise<ThresholdReading> {
  const { reason } = readMessage(live);
  const value = reason ? null : numberOf(await valueOf(live));
  return { value, start: recordTime(live, "startTime"), end: recordTime(live, "endTime"), reason };
}

/** When the record of a message began or ended, in milliseconds; undefined if the message has no such time. */
function recordTime({ energy, payload }: NodeMessage, name: "startTime" | "endTime"): number | undefined {
  const [time] = [energy, payload].flatMap((part) =>
    isServiceObject(part) && part[name] !== undefined ? [part[name]] : [],
  );
  return parseServiceTime(time);
}

function numberOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const kind = typeof value === "number" ? String(value) : kindOf(value);
  throw new InputError("valueNotNumber", { kind });
}
