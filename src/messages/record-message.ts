// Builds messages that carry records: the service's own objects, and what the package knows about them.
import type { Clock } from "../clock";
import { isFresh, type ValidFor } from "../decisions/freshness";
import type { CarriedLedger } from "../ledger/stored-ledger";
import type { DueRecord } from "../ledger/due-records";
import { recordId, type SeriesAddress, type SeriesNames } from "../series/identity";
import type { Basis } from "../models/measurements";
import type { IntervalRecord } from "../models/telemetry";
import { isoTime } from "../time-units";
import type { RecordInfo, RecordsInfo } from "./messages";

/** How messages describe the records of a series. */
export interface RecordDescription {
  series: SeriesAddress;
  /** Of the series. */
  id: string;
  /** What `msg.energy` says of the whole message. */
  shared: SharedEnergy;
  basisOf: (record: IntervalRecord) => Record<string, Basis> | undefined;
  /** How long each may be acted on. */
  validFor: ValidFor;
  clock: Pick<Clock, "now" | "isSure">;
}

export type SharedEnergy = SeriesNames & { kind: "telemetry" | "history" | "rgm" };

/**
 * A message with one record. With a delivery id the payload is a copy, so that receivers cannot change what may be resent.
 * @param ledger the one that is true once the message is delivered
 */
export function recordContent(
  description: RecordDescription,
  due: DueRecord,
  deliveryId?: string,
  ledger?: CarriedLedger,
) {
  return contentOf(description, payloadOf(due, deliveryId), recordInfo(description, due), deliveryId, ledger);
}

/** A message with several records, or with none. Parameters as for `recordContent`. */
export function batchContent(
  description: RecordDescription,
  due: readonly DueRecord[],
  deliveryId?: string,
  ledger?: CarriedLedger,
) {
  const records = due.map((record) => recordInfo(description, record));
  const cursor = records.at(-1)?.cursor ?? ledger?.cursor ?? "";
  const payload = due.map((record) => payloadOf(record, deliveryId));
  return contentOf(description, payload, { records, cursor }, deliveryId, ledger);
}

/** Built as one literal and added to, not spread: that would take longer than all the rest of a message. */
function recordInfo({ id, basisOf, validFor, clock }: RecordDescription, due: DueRecord): RecordInfo {
  const { record, start, cursor } = due;
  const { startTime, endTime } = record;
  const until = due.end + validFor(due);
  // What is true at the moment of sending counts.
  const phase = due.phase === "live" && !isFresh(until, clock) ? "catchup" : due.phase;
  const validUntil = isoTime(until);
  const info: RecordInfo = { phase, recordId: recordId(id, start), startTime, endTime, validUntil, cursor };
  const basis = basisOf(record);
  if (basis) info.basis = basis;
  return info;
}

function contentOf(
  { series: address, shared }: RecordDescription,
  payload: IntervalRecord | IntervalRecord[],
  info: RecordInfo | RecordsInfo,
  delivery: string | undefined,
  ledger: CarriedLedger | undefined,
) {
  if (delivery !== undefined) info.delivery = delivery;
  if (ledger) info.ledger = ledger;
  const energy: (RecordInfo | RecordsInfo) & SharedEnergy & { hasRgm?: true } = Object.assign(info, shared);
  // Only a record shows that there is a meter.
  if (energy.kind === "rgm" && (!Array.isArray(payload) || payload.length > 0)) energy.hasRgm = true;
  return { payload, energy, address };
}

function payloadOf({ record }: DueRecord, deliveryId: string | undefined): IntervalRecord {
  return deliveryId === undefined ? record : structuredClone(record);
}
