// Reads what messages from nodes of this package say: records, sites, alerts, confirmations and ledgers.
import { ALERT_CHANGES, type AlertChangeKind } from "../alerts/alert-changes";
import { isNoValueReason, type NoValueReason } from "../decisions/freshness";
import { InputError } from "../errors";
import { MAX_ALERT_KEY_LENGTH, MAX_SENT } from "../limits";
import { assertSendable } from "../loop-turns";
import type { SeriesAddress, SeriesNames } from "../series/identity";
import { type Alert, alertNameOf, severityOf } from "../models/alert";
import { type Basis, RECORD_GROUPS } from "../models/measurements";
import { arrayOf, isServiceObject, kindOf, objectOf, type ServiceObject } from "../models/service-object";
import { isSite, type Site } from "../models/site";
import { type IntervalRecord, readTimes, type SourceName, type TimedRecord } from "../models/telemetry";
import { parseServiceTime } from "../models/time";
import { defined, groupedBy } from "../objects";
import { isId } from "../settings/rules";
import { shownName } from "../shown-text";

/** Any message of a flow, unchecked. */
export interface FlowMessage {
  payload?: unknown;
  energy?: unknown;
  topic?: unknown;
  siteId?: unknown;
  systemId?: unknown;
  parts?: unknown;
}

/** An unchecked record of a message and its own part of `msg.energy`. `recordsIn` checks it. */
export interface MessagePart {
  record: unknown;
  energy: ServiceObject;
  /** Whether it is current rather than backlog; if no phase is given, a record outside an array is. */
  isLive: boolean;
}

/** A checked record of a message; times in milliseconds since the epoch. */
export interface MessageRecord extends TimedRecord {
  isLive: boolean;
  /** AC or DC by group, where known. */
  basis: Readonly<Record<string, Basis>>;
  /** Until when it may be acted on; undefined if its message does not say. */
  validUntil: number | undefined;
  energy: ServiceObject;
}

export type MessageAlert = ReturnType<typeof readAlert>;

/** What a message from alerts says. Without a site, it is about the whole account. */
export interface AlertUpdate {
  siteId: string | undefined;
  /** What has happened to the one alert; of a list, undefined. */
  change: AlertChangeKind | undefined;
  /** Of a list, those that are open. */
  alerts: MessageAlert[];
}

/** The `msg.energy` of a message; empty if it has none, or bytes. */
export function energyOf({ energy }: FlowMessage): ServiceObject {
  return objectOf(ArrayBuffer.isView(energy) ? undefined : energy);
}

/** Why latest value has no value. */
export function noValueReasonOf(message: FlowMessage): NoValueReason | undefined {
  const { kind, reason } = energyOf(message);
  if (kind !== "latest-value" || reason === undefined) return undefined;
  // A reason that this version does not know still means that there is no value.
  return isNoValueReason(reason) ? reason : "no-value";
}

/** Without what confirms it: something of it is left out, and must not be confirmed with the rest. */
export function withoutDelivery<Message extends FlowMessage>(message: Message) {
  const { delivery: _delivery, ledger: _ledger, ...energy } = energyOf(message);
  return { ...message, energy };
}

/** Throws InputError for an array that is too long, but not for one that must be confirmed: it would come again and again. */
export function assertSendableArray(message: FlowMessage): void {
  const { payload } = message;
  if (Array.isArray(payload) && energyOf(message)["delivery"] === undefined) assertSendable(payload.length);
}

/** Of what is no record: an error has no room for more. */
const SHOWN_PLACES = 50;

/**
 * The records of a message in the order of its payload. Throws InputError for anything that is no record, but for some in an array,
 * and for an array that is too long.
 * @param faults gets the error for those at the end
 */
export function* recordsIn(message: FlowMessage, faults: Error[]): Iterable<MessageRecord> {
  if (noValueReasonOf(message) !== undefined) throw new InputError("recordStale");
  assertSendableArray(message);
  const places: string[] = [];
  let fault: InputError | undefined;
  let [count, read] = [0, 0];
  for (const { record: given, energy, isLive } of partsOf(message)) {
    count += 1;
    const timed = isServiceObject(given) ? readTimes(given as IntervalRecord) : undefined;
    if (timed) {
      const validUntil = parseServiceTime(energy["validUntil"]);
      const { record, start, end } = timed;
      yield { record, start, end, isLive, basis: readBasis(energy["basis"]), validUntil, energy };
      read += 1;
      continue;
    }
    if (isServiceObject(given)) fault ??= new InputError("recordTimes");
    else fault ??= new InputError("recordMissing", { kind: kindOf(given) });
    if (places.length < SHOWN_PLACES) places.push(`payload[${count - 1}]`);
  }
  if (fault && read === 0) throw fault;
  if (fault) faults.push(new InputError("recordsLeftOut", { text: fault.text, places: places.join(", ") }));
}

/** The payload of a message from totals; undefined for other messages. */
export function totalsIn(message: FlowMessage): ServiceObject | undefined {
  const { payload } = message;
  return energyOf(message)["kind"] === "totals" && isServiceObject(payload) ? payload : undefined;
}

/** The names of site and system in the `msg.energy` of a message, as they may be shown. */
export function namesIn({ siteName, systemName }: ServiceObject): SeriesNames {
  return defined({ siteName: shownName(siteName), systemName: shownName(systemName) });
}

/** The site and system of a message. Throws InputError without a site id, or for a system id that is not text. */
export function addressIn({ siteId, systemId }: FlowMessage): SeriesAddress {
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
  if (energyOf(message)["kind"] !== "site-list") return undefined;
  const { payload, systemId } = message;
  // A message about a single system has no site in its payload, even if that names one.
  const single: unknown[] = systemId === undefined ? [payload] : [];
  const sites = (Array.isArray(payload) ? payload : single).filter(isSite);
  return { sites, isComplete: Array.isArray(payload) && sites.length > 0 };
}

/** The details of a site in a message from site info; undefined for other messages. */
export function siteDetailsOf(message: FlowMessage): Site | undefined {
  const { payload } = message;
  return energyOf(message)["kind"] === "site-info" && isSite(payload) ? payload : undefined;
}

/** Undefined for messages from elsewhere. Throws InputError for a site id that is not valid. */
export function alertUpdateOf({ payload, energy, siteId }: FlowMessage): AlertUpdate | undefined {
  const { kind, change: given, alerts: infos } = objectOf(energy);
  if (kind !== "alerts") return undefined;
  if (siteId !== undefined && !isId(siteId)) throw new InputError("messageSite");
  const change = ALERT_CHANGES.find((known) => known === given);
  if (change) return { siteId, change, alerts: [readAlert(payload, energy)] };
  if (!Array.isArray(payload) || !Array.isArray(infos)) return undefined;
  const infoOf = infoFinder(infos, (alert) => alertNameOf(objectOf(alert)), nameInKey);
  const alerts = payload.flatMap((alert: unknown, index) => {
    const info = infoOf(alert, index);
    // An alert that is over may still be listed.
    return objectOf(info)["isOpen"] === false ? [] : [readAlert(alert, info)];
  });
  return { siteId, change: undefined, alerts };
}

/**
 * Whether a message comes back to the node that polls this source, and which delivery it confirms. One without an id confirms
 * nothing, but must not trigger a run either: of what mqtt readings makes of a record, only the last message has it, and
 * what a sink completes itself has none.
 */
export function confirmationOf(message: FlowMessage, source: SourceName) {
  const { kind, delivery } = energyOf(message);
  return { isConfirmation: delivery !== undefined || kind === "mqtt" || kind === source, delivery };
}

/**
 * What is in `msg.energy.ledger`; undefined if there is none, which starts the series. Throws InputError where there can be none,
 * because starting over would lose what the right ledger owes.
 */
export function carriedIn({ energy = {} }: FlowMessage): unknown {
  if (!isServiceObject(energy)) throw new InputError("ledgerUnreadable");
  return energy["ledger"];
}

/** In the order of the payload, each made when it is needed; none for a meter without a record yet. Never throws. */
export function* partsOf(message: FlowMessage): Iterable<MessagePart> {
  const { records, record: whole, delivery: _delivery, ledger: _ledger, ...shared } = energyOf(message);
  const infos = arrayOf(records);
  // The payload may be a single value, with its record in msg.energy.
  const isValue = shared["kind"] === "latest-value" && (shared["path"] || !isServiceObject(message.payload));
  const payload = (isValue ? whole : undefined) ?? message.payload;
  // Not an error: a site without a revenue-grade meter has no latest record.
  if (shared["kind"] === "rgm" && payload === null) return;
  const partOf = (record: unknown, info: unknown): MessagePart => {
    const energy = isServiceObject(info) ? { ...shared, ...info } : shared;
    const { phase } = energy;
    return { record, energy, isLive: phase === undefined ? !Array.isArray(payload) : phase === "live" };
  };
  if (Array.isArray(payload)) {
    const infoOf = infoFinder(infos, timesTextOf, timesTextOf);
    for (const [index, record] of payload.entries()) yield partOf(record, infoOf(record, index));
    return;
  }
  yield partOf(payload, infos.length > 0 ? infoOfSingle(infos, message.parts, payload) : undefined);
}

/** Finds the part of `msg.energy` for a record or alert of an array, which a flow may have filtered or sorted, by what both say. */
function infoFinder(
  infos: readonly unknown[],
  nameOf: (part: unknown) => string,
  nameOfInfo: (info: unknown) => string,
): (part: unknown, index: number) => unknown {
  let byName: ReadonlyMap<string, unknown[]> | undefined;
  return (part, index) => {
    const info = infos[index];
    const name = infos.length > MAX_SENT ? "" : nameOf(part);
    if (name === "" || (!byName && nameOfInfo(info) === name)) return info;
    // Those before are taken; of several with one name, each in its turn.
    byName ??= groupedBy([...infos.slice(index), ...infos.slice(0, index)], nameOfInfo);
    const same = byName.get(name) ?? [info];
    return same.length > 1 ? same.shift() : same[0];
  };
}

/** The name of an alert in its key, without the number that tells it from others. */
function nameInKey(info: unknown): string {
  const { alertKey } = objectOf(info);
  return typeof alertKey === "string" ? alertKey.replace(/#\d+$/, "") : "";
}

/** The same where a flow has replaced the array by a single payload, which core split numbers. */
function infoOfSingle(infos: readonly unknown[], parts: unknown, payload: unknown): unknown {
  const times = timesTextOf(payload);
  const own = times === "" ? undefined : infos.find((info) => timesTextOf(info) === times);
  const { index, count } = objectOf(parts);
  const split = count === infos.length ? infos[Number(index)] : undefined;
  // Otherwise assume that it is from the newest live record.
  const newest = infos.findLast((info) => objectOf(info)["phase"] === "live") ?? infos.at(-1);
  return own ?? split ?? newest;
}

/** "" without times. */
function timesTextOf(part: unknown): string {
  const { startTime, endTime } = objectOf(part);
  return typeof startTime === "string" && typeof endTime === "string" ? `${startTime} ${endTime}` : "";
}

function readBasis(basis: unknown): Record<string, Basis> {
  return Object.fromEntries(
    Object.entries(objectOf(basis)).filter(
      (entry): entry is [string, Basis] =>
        RECORD_GROUPS.includes(entry[0]) && (entry[1] === "ac" || entry[1] === "dc"),
    ),
  );
}

/** An alert of a message. The flow may have changed its fields, but not its key. */
function readAlert(payload: unknown, info: unknown) {
  const alert: Alert = objectOf(payload);
  const { alertKey, severity } = objectOf(info);
  const isKey = typeof alertKey === "string" && alertKey.length <= MAX_ALERT_KEY_LENGTH;
  return {
    alertKey: isKey ? alertKey : alertNameOf(alert),
    severity: typeof severity === "string" ? severityOf({ severity }) : severityOf(alert),
    alert,
  };
}
