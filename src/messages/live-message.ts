// Extracts what a threshold decides on from an incoming message: the value and its age, or why there is no value.
import { isPlausible } from "../models/measurements";
import type { ThresholdReading } from "../decisions/threshold";
import { InputError } from "../errors";
import {
  assertSendableArray,
  energyOf,
  type FlowMessage,
  type MessagePart,
  noValueReasonOf,
  partsOf,
} from "./reader";
import { isServiceObject, objectOf } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import { decimalOf } from "../settings/rules";

/** What `msg.energy.kind` is for the records of this package, which always have times. */
const RECORD_KINDS: readonly unknown[] = ["telemetry", "rgm", "history", "latest-value"];

/**
 * The message to decide on; undefined for backlog, because an old record must not switch anything. A batch is reduced
 * to its newest live record, as if it had been sent alone. A message without a phase counts as live, but for a range of records.
 * Throws InputError for a batch that is too large.
 */
export function liveMessage<Message extends FlowMessage & { retain?: unknown }>(
  message: Message,
): Message | undefined {
  const { kind, phase, records } = energyOf(message);
  // The broker may have kept it for days.
  if (message.retain === true && !isDated(message)) return undefined;
  if (!Array.isArray(records)) {
    const isRange = Array.isArray(message.payload) && RECORD_KINDS.includes(kind);
    return (phase === undefined && !isRange) || phase === "live" ? message : undefined;
  }
  assertSendableArray(message);
  let newest: MessagePart | undefined;
  for (const part of partsOf(message))
    if (part.isLive && (!newest || endOf(part) > endOf(newest))) newest = part;
  return newest && { ...message, payload: newest.record, energy: newest.energy };
}

/**
 * The reading of a live message; `valueOf` extracts the value. Rejects with InputError if a record has no times that can be read,
 * because old data must never look fresh, and like `valueOf`.
 * @param property where the value is: one that is named like a percentage may be implausible
 */
export async function readingOf<Message extends FlowMessage>(
  live: Message,
  valueOf: (message: Message) => Promise<{ readonly value: unknown }>,
  property: string,
): Promise<ThresholdReading> {
  const { kind, path = live.topic } = energyOf(live);
  const reason = noValueReasonOf(live);
  if (reason) return { value: null, reason, about: parseServiceTime(energyOf(live)["endTime"]) };
  const times = timesOf(live);
  // A meter without a record yet is no record without times.
  const isRecord = RECORD_KINDS.includes(kind) && !(kind === "rgm" && live.payload === null);
  if (isRecord && times.end === undefined) throw new InputError("recordTimes");
  const { value } = await valueOf(live);
  const reading = { value: decimalOf(value), isRecord: isServiceObject(value), ...times };
  // What the payload is, is said by the path of a latest value, or at the end of a broker's topic.
  const name = typeof path === "string" ? path.slice(path.lastIndexOf("/") + 1) : "";
  const from = property === "payload" ? name : property;
  return isPlausible(from, reading.value) ? reading : { ...reading, reason: "implausible" };
}

function isDated({ energy, payload }: FlowMessage): boolean {
  return [energy, payload].map(objectOf).some((part) => part["endTime"] ?? part["records"]);
}

/**
 * When the record of a message began and ended, and until when it is valid, in milliseconds; undefined if it has no such time.
 * Throws InputError.
 */
function timesOf(message: FlowMessage): Pick<ThresholdReading, "start" | "end" | "validUntil"> {
  const energy = energyOf(message);
  const validUntil = parseServiceTime(energy["validUntil"]);
  // The period of totals may still run: they are as old as the last record in them, or else as their arrival.
  const { period, until } = objectOf(message.payload);
  const isTotals = energy["kind"] === "totals" || (period !== undefined && until !== undefined);
  if (isTotals) return { end: parseServiceTime(until ?? energy["endTime"]), validUntil };
  const timesIn = (name: "startTime" | "endTime"): (number | undefined)[] =>
    [energy, objectOf(message.payload)].flatMap((part) =>
      part[name] === undefined ? [] : [parseServiceTime(part[name])],
    );
  const [starts, ends] = [timesIn("startTime"), timesIn("endTime")];
  if (ends.length === 0) return { validUntil };
  if ([...starts, ...ends].includes(undefined)) throw new InputError("recordTimes");
  return { start: starts[0], end: ends[0], validUntil };
}

/** For comparison; a record without a readable end counts as the newest, so that its fault is noticed. */
function endOf({ record, energy }: MessagePart): number {
  return parseServiceTime(energy["endTime"] ?? objectOf(record)["endTime"]) ?? Number.MAX_VALUE;
}
