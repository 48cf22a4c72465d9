// Reads incoming messages from other nodes of this package: their records, and what `msg.energy` says about them.
import type { SeriesAddress } from "../ledger/record-id";
import { type IntervalRecord, readTimes, type TimedRecord } from "../models/telemetry";
import { InputError } from "../errors";
import { isNoValueReason, type NoValueReason } from "../decisions/freshness";
import type { Basis } from "../models/measurements";
import { isServiceObject, kindOf, type ServiceObject } from "../models/service-object";
import { type Site, siteIdOf } from "../models/site";
import { isId } from "../settings/rules";

/** Any message of a flow, unchecked. */
export interface FlowMessage {
  payload?: unknown;
  energy?: unknown;
  topic?: unknown;
  siteId?: unknown;
  systemId?: unknown;
}

/** An unchecked record of a message and its own part of `msg.energy`. `recordsOf` checks it. */
export interface MessagePart {
  record: unknown;
  energy: ServiceObject;
  /** Whether it is current rather than backlog; if no phase is given, a record outside an array is. */
  isLive: boolean;
}

/** What an incoming message says. */
export interface ReadMessage {
  /** Undefined for messages from elsewhere. */
  kind: string | undefined;
  /** Of a message with one record; undefined if not given. */
  phase: unknown;
  /** Why latest value has no value. */
  reason: NoValueReason | undefined;
  /** The id that confirms the whole message. */
  delivery: unknown;
  /** The ledger that is true once the whole message is delivered. */
  ledger: unknown;
  /** Whether `msg.energy` describes several records. */
  isBatch: boolean;
  /** In the order of the payload; empty for a meter without a record yet. */
  parts: MessagePart[];
}

/** A checked record of a message; times in milliseconds since the epoch. */
export interface MessageRecord extends TimedRecord {
  isLive: boolean;
  /** AC or DC by group, where known. */
  basis: Readonly<Record<string, Basis>>;
  /** This record's own part of `msg.energy`. */
  energy: ServiceObject;
}

/** Never throws: what is missing is undefined. */
export function readMessage({ payload, energy: given }: FlowMessage): ReadMessage {
  const energy = isServiceObject(given) ? given : {};
  const { records: infos, record: whole, delivery, ledger, ...shared } = energy;
  const { kind, phase, reason, path } = shared;
  const isLatest = kind === "latest-value";
  // The payload may be a single value, with its record in msg.energy.
  const isValue = isLatest && (Boolean(path) || !isServiceObject(payload));
  return {
    kind: typeof kind === "string" ? kind : undefined,
    phase,
    reason: isLatest && reason !== undefined ? readReason(reason) : undefined,
    delivery,
    ledger,
    isBatch: Array.isArray(infos),
    // Not an error: a site without a revenue-grade meter has no latest record.
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
  // A flow may have replaced an array by a single payload: assume that it is from the newest live record.
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

/** The site and system of a message. Throws InputError without a site id, or for a system id that is not text. */
export function addressOf({ siteId, systemId }: FlowMessage): SeriesAddress {
  if (!isId(siteId)) throw new InputError("messageSite");
  if (systemId === undefined || systemId === "") return { siteId };
  if (isId(systemId)) return { siteId, systemId };
  throw new InputError("messageSystem");
}

/**
 * The sites in a message from site list; undefined for other messages. `isComplete`: the message lists every site. An empty
 * list does not count, because it is more likely a mistake than the end of all sites.
 */
export function sitesOf(message: FlowMessage): { sites: Site[]; isComplete: boolean } | undefined {
  const { kind, parts } = readMessage(message);
  if (kind !== "site-list") return undefined;
  // A message about a single system has no site in its payload.
  const sites = parts.flatMap(({ record }) => (isSite(record) ? [record] : []));
  return { sites, isComplete: Array.isArray(message.payload) && sites.length > 0 };
}

/**
 * Whether a message is a confirmation, and of which delivery. A message from mqtt readings without an id confirms nothing,
 * but must not trigger a run either: only the last message of each record has the id.
 */
export function confirmationOf(message: FlowMessage): { isConfirmation: boolean; delivery?: unknown } {
  const { kind, delivery } = readMessage({ energy: message.energy });
  if (delivery === undefined) return { isConfirmation: kind === "mqtt" };
  return { isConfirmation: true, delivery };
}

function isSite(value: unknown): value is Site {
  return isServiceObject(value) && isId(siteIdOf(value as Site));
}

function readRecord(record: unknown): TimedRecord {
  if (!isServiceObject(record)) throw new InputError("recordMissing", { kind: kindOf(record) });
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
