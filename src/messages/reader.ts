// Reads messages of this package's nodes where they come in again: the records that they hold, and what else they say.
import type { SeriesAddress } from "../ledger/record-id";
import { readTimes, type TimedRecord } from "../models/timed-record";
import { InputError } from "../errors";
import { isNoValueReason, type NoValueReason } from "../decisions/freshness";
import type { Basis } from "../models/basis";
import { describe, isServiceObject } from "../models/service-object";
import type { ServiceObject, Site } from "../models/site";
import { siteIdOf } from "../models/site-reader";
import type { IntervalRecord } from "../models/telemetry";

/** A message of a flow: nothing is known of it yet. */
export interface FlowMessage {
  payload?: unknown;
  energy?: unknown;
  topic?: unknown;
  siteId?: unknown;
  systemId?: unknown;
}

/** A part of a message: a record, and what `msg.energy` says of it alone. `recordsOf` reads it. */
export interface MessagePart {
  record: unknown;
  energy: ServiceObject;
  /** Whether it is current rather than backlog; without a phase only what came alone is. */
  isLive: boolean;
}

export interface ReadMessage {
  /** Undefined for messages that are not from this package. */
  kind: string | undefined;
  /** Of a message with one record; undefined where it does not say. */
  phase: unknown;
  /** Why latest value has no value. */
  reason: NoValueReason | undefined;
  /** The id that confirms the whole message. */
  delivery: unknown;
  /** Whether `msg.energy` describes several records. */
  isBatch: boolean;
  /** In the order of the payload; empty for a meter that has no record yet. */
  parts: MessagePart[];
}

/** A record of a message; times in milliseconds since the epoch. */
export interface MessageRecord extends TimedRecord {
  isLive: boolean;
  /** AC or DC for each group where it is known. */
  basis: Readonly<Record<string, Basis>>;
  /** What `msg.energy` says of this record alone. */
  energy: ServiceObject;
}

/** Never throws: what a message lacks is undefined. */
export function readMessage({ payload, energy: given }: FlowMessage): ReadMessage {
  const energy = isServiceObject(given) ? given : {};
  const { records: infos, record: whole, delivery, ...shared } = energy;
  const { kind, phase, reason, path } = shared;
  const isLatest = kind === "latest-value";
  // The payload may be one value of a record: the record is beside it.
  const isValue = isLatest && (Boolean(path) || !isServiceObject(payload));
  return {
    kind: typeof kind === "string" ? kind : undefined,
    phase,
    reason: isLatest && reason !== undefined ? readReason(reason) : undefined,
    delivery,
    isBatch: Array.isArray(infos),
    // A site without a revenue-grade meter has no latest record, which is not an error.
    parts:
      kind === "rgm" && payload === null
        ? []
        : partsOf(isValue ? (whole ?? payload) : payload, shared, Array.isArray(infos) ? infos : []),
  };
}

function partsOf(payload: unknown, shared: ServiceObject, infos: unknown[]): MessagePart[] {
  const partOf = (record: unknown, info: unknown): MessagePart => {
    const energy = isServiceObject(info) ? { ...shared, ...info } : shared;
    const { phase } = energy;
    return { record, energy, isLive: phase === undefined ? !Array.isArray(payload) : phase === "live" };
  };
  if (Array.isArray(payload)) return payload.map((record, index) => partOf(record, infos[index]));
  // One payload in the place of several records: it is of the newest that is current.
  const newest = infos.findLast((info) => isServiceObject(info) && info["phase"] === "live") ?? infos.at(-1);
  return [partOf(payload, newest)];
}

/** The records of a message in the order of its payload. Throws InputError for anything that is not a record. */
export function recordsOf({ parts, reason }: ReadMessage): MessageRecord[] {
  if (reason !== undefined) throw new InputError("recordStale");
  return parts.map(({ record: given, energy, isLive }) => {
    const { record, start, end } = readRecord(given);
    return { record, start, end, isLive, basis: readBasis(energy["basis"]), energy };
  });
}

/** Throws InputError without a site id, or with a system id that is not text. */
export function addressOf({ siteId, systemId }: FlowMessage): SeriesAddress {
  if (!isId(siteId)) throw new InputError("messageSite");
  if (systemId === undefined || systemId === "") return { siteId };
  if (isId(systemId)) return { siteId, systemId };
  throw new InputError("messageSystem");
}

/**
 * The sites of a message of site list; undefined for other messages. `isComplete`: the message lists all sites. An empty
 * list is more likely a mistake than the end of all sites.
 */
export function sitesOf(message: FlowMessage): { sites: Site[]; isComplete: boolean } | undefined {
  const { kind, parts } = readMessage(message);
  if (kind !== "site-list") return undefined;
  // A message about a single system has no site in its payload.
  const sites = parts.flatMap(({ record }) => (isSite(record) ? [record] : []));
  return { sites, isComplete: Array.isArray(message.payload) && sites.length > 0 };
}

/**
 * Whether a message confirms a delivery, and which. A message of mqtt readings without an id confirms nothing, but is not
 * a trigger either: only the last message of each record carries the id.
 */
export function confirmationOf(message: FlowMessage): { isConfirmation: boolean; delivery?: unknown } {
  const { kind, delivery } = readMessage({ energy: message.energy });
  if (delivery === undefined) return { isConfirmation: kind === "mqtt" };
  return { isConfirmation: true, delivery };
}

/** Half a surrogate pair cannot be encoded. */
function isId(value: unknown): value is string {
  return typeof value === "string" && /^\P{Surrogate}+$/u.test(value);
}

function isSite(value: unknown): value is Site {
  return isServiceObject(value) && siteIdOf(value as Site) !== "";
}

function readRecord(record: unknown): TimedRecord {
  if (!isServiceObject(record)) throw new InputError("recordMissing", { kind: describe(record) });
  const timed = readTimes(record as IntervalRecord);
  if (!timed) throw new InputError("recordTimes");
  return timed;
}

/** A reason that this version does not know still means that there is no value. */
function readReason(reason: unknown): NoValueReason {
  return isNoValueReason(reason) ? reason : "no-value";
}

function readBasis(basis: unknown): Record<string, Basis> {
  const groups = isServiceObject(basis) ? Object.entries(basis) : [];
  return Object.fromEntries(
    groups.filter((entry): entry is [string, Basis] => entry[1] === "ac" || entry[1] === "dc"),
  );
}
