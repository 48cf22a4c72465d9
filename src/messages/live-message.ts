// Extracts what a threshold decides on from an incoming message: the value and its age, or why there is no value.
import { isPlausible } from "../models/measurements";
import type { ThresholdReading } from "../decisions/threshold";
import { InputError } from "../errors";
import { MAX_SENT } from "../limits";
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
 * @param faults gets the error for the newest record of a batch if its times cannot be read, but those of another
 */
export function liveMessage<Message extends FlowMessage & { retain?: unknown }>(
  message: Message,
  faults: Error[],
): Message | undefined {
  const { kind, phase, records } = energyOf(message);
  // The broker may have kept it for days.
  if (message.retain === true && !isDated(message)) return undefined;
  if (!Array.isArray(records)) {
    const isRange = Array.isArray(message.payload) && RECORD_KINDS.includes(kind);
    return (phase === undefined && !isRange) || phase === "live" ? message : undefined;
  }
  assertSendableArray(message);
  const newestFirst = [...partsOf(message)]
    .flatMap((part) => (part.isLive ? [{ part, end: endOf(part) }] : []))
    .toSorted((one, other) => other.end - one.end)
    // Those of a hostile message may all be unreadable.
    .slice(0, MAX_SENT);
  const [first] = newestFirst;
  const readable = newestFirst.find(({ part: { record, energy } }) => timesOf({ payload: record, energy }));
  const one = readable ?? first;
  if (one !== first) faults.push(new InputError("recordTimes"));
  return one && { ...message, payload: one.part.record, energy: one.part.energy };
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
  const { path = live.topic } = energyOf(live);
  const reason = noValueReasonOf(live);
  if (reason) return { value: null, reason, about: parseServiceTime(energyOf(live)["endTime"]) };
  const times = timesOf(live);
  if (!times) throw new InputError("recordTimes");
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
 * When the record of a message began and ended, and until when it is valid, in milliseconds, as far as it has such times; undefined
 * if one of them cannot be read.
 */
function timesOf(message: FlowMessage): Pick<ThresholdReading, "start" | "end" | "validUntil"> | undefined {
  const energy = energyOf(message);
  const validUntil = parseServiceTime(energy["validUntil"]);
  const { kind } = energy;
  // A meter without a record yet is no record without times.
  const isRecord = RECORD_KINDS.includes(kind) && !(kind === "rgm" && message.payload === null);
  // The period of totals may still run: they are as old as the last record in them, or else as their arrival.
  const { period, until } = objectOf(message.payload);
  const isTotals = kind === "totals" || (!isRecord && period !== undefined && until !== undefined);
  if (isTotals) return { end: parseServiceTime(until ?? energy["endTime"]), validUntil };
  const timesIn = (name: "startTime" | "endTime"): (number | undefined)[] =>
    [energy, objectOf(message.payload)].flatMap((part) =>
      part[name] === undefined ? [] : [parseServiceTime(part[name])],
    );
  const [starts, ends] = [timesIn("startTime"), timesIn("endTime")];
  if (ends.length === 0 && !isRecord) return { validUntil };
  if (ends.length === 0 || [...starts, ...ends].includes(undefined)) return undefined;
  return { start: starts[0], end: ends[0], validUntil };
}

/** For comparison; a record without a readable end counts as the newest, so that its fault is noticed. */
function endOf({ record, energy }: MessagePart): number {
  return parseServiceTime(energy["endTime"] ?? objectOf(record)["endTime"]) ?? Number.MAX_VALUE;
}
