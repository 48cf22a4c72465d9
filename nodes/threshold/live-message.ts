// What an incoming message has to say to a threshold: whether it is of now, what it is about, and how old it is.
import type { NodeMessage } from "node-red";
import { InputError } from "../../src/errors";
import { describe, isServiceObject } from "../../src/models/service-object";
import { parseServiceTime } from "../../src/models/time";
import type { NoValueReason } from "../../src/decisions/freshness";

/** What a decision is about; messages that no other message triggered are marked with it. */
export interface Subject {
  topic?: string;
  siteId?: string;
  systemId?: string;
}

/**
 * The message to decide by, undefined for backlog: a record that is not of now must not switch anything. Of an array of
 * records it is the newest live one, as if that had come alone. What carries no phase is of now.
 */
export function liveMessage(message: NodeMessage): NodeMessage | undefined {
  const { energy, payload } = message;
  if (!isServiceObject(energy)) return message;
  if (!Array.isArray(energy["records"]))
    return energy["phase"] === undefined || energy["phase"] === "live" ? message : undefined;
  const records: unknown[] = energy["records"];
  const index = records.findLastIndex((info) => isServiceObject(info) && info["phase"] === "live");
  if (index === -1) return undefined;
  const record: unknown = Array.isArray(payload) ? payload[index] : payload;
  return { ...message, payload: record, energy: records[index] };
}

/** When the record of a message ended, in milliseconds; undefined: its value is of now. */
export function recordEnd({ energy, payload }: NodeMessage): number | undefined {
  const [time] = [energy, payload].flatMap((part) =>
    isServiceObject(part) && part["endTime"] !== undefined ? [part["endTime"]] : [],
  );
  return parseServiceTime(time);
}

/** Why a latest value node has no value. */
export function reasonOf({ energy }: NodeMessage): NoValueReason | undefined {
  const isNone =
    isServiceObject(energy) && energy["kind"] === "latest-value" && energy["reason"] !== undefined;
  return isNone ? (energy["reason"] as NoValueReason) : undefined;
}

/** Null where there is none. Throws InputError for anything that is no number. */
export function numberOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const kind = typeof value === "number" ? String(value) : describe(value);
  throw new InputError("valueNotNumber", { kind });
}

/** A site or a system of it; for other messages their topic. */
export function subjectOf({ topic, siteId, systemId }: NodeMessage): Subject {
  return { ...textual("topic", topic), ...textual("siteId", siteId), ...textual("systemId", systemId) };
}

/** Each site, system or other topic is decided on by itself. */
export function subjectKey({ topic = "", siteId, systemId = "" }: Subject): string {
  return JSON.stringify(siteId === undefined ? [topic] : [siteId, systemId]);
}

function textual(name: keyof Subject, value: unknown): Subject {
  return typeof value === "string" ? { [name]: value } : {};
}
