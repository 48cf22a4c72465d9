// Builds messages that carry records: the service's own objects, and what the package knows about them.
import type { CarriedLedger } from "../ledger/carried-ledger";
import type { DueRecord } from "../ledger/due-record";
import type { SeriesAddress } from "../ledger/record-id";
import type { Basis } from "../models/measurements";
import type { IntervalRecord } from "../models/telemetry";
import type { MessageEnergy, RecordInfo, RecordsInfo } from "./energy";

/** How a message describes the records of a series. */
export interface RecordDescription {
  /** The id of a record by its start in milliseconds. */
  idOf: (start: number) => string;
  energy: RecordEnergy;
  /** The basis of each group of a record; undefined if unknown. */
  basisOf: (record: IntervalRecord) => Record<string, Basis> | undefined;
}

/** Builds `msg.energy`: literals, because spreading what is known of a record costs more than building it. */
export interface RecordEnergy {
  ofRecord: (due: DueRecord, recordId: string) => MessageEnergy & RecordInfo;
  ofBatch: (info: RecordsInfo) => MessageEnergy;
}

/** The parts of a message with records. A class for the same reason as TimedRecord. */
class RecordContent {
  constructor(
    readonly payload: IntervalRecord | IntervalRecord[],
    readonly energy: MessageEnergy,
    readonly address: SeriesAddress,
  ) {}
}

/**
 * With a delivery id the payload is a copy, so that receivers cannot change what may be resent. `ledger`: the one that is
 * true once the message is delivered.
 */
type ContentBuilder<Due> = (
  address: SeriesAddress,
  description: RecordDescription,
  due: Due,
  deliveryId?: string,
  ledger?: CarriedLedger,
) => RecordContent;

/** A message with one record. */
export const recordContent: ContentBuilder<DueRecord> = (address, description, due, deliveryId, ledger) => {
  const energy = description.energy.ofRecord(due, description.idOf(due.start));
  const basis = description.basisOf(due.record);
  if (basis) energy.basis = basis;
  if (deliveryId !== undefined) energy.delivery = deliveryId;
  if (ledger) energy.ledger = ledger;
  return new RecordContent(payloadOf(due, deliveryId), energy, address);
};

/** A message with several records, or with none. */
export const batchContent: ContentBuilder<readonly DueRecord[]> = (
  address,
  description,
  due,
  deliveryId,
  ledger,
) => {
  const records = due.map((record) => recordInfo(description, record));
  const cursor = records.at(-1)?.cursor ?? ledger?.cursor ?? "";
  const info = { records, cursor, ...deliveryInfo(deliveryId, ledger) };
  const payload = due.map((record) => payloadOf(record, deliveryId));
  return new RecordContent(payload, description.energy.ofBatch(info), address);
};

function recordInfo(
  { idOf, basisOf }: RecordDescription,
  { record, start, phase, cursor }: DueRecord,
): RecordInfo {
  const basis = basisOf(record);
  return {
    phase,
    recordId: idOf(start),
    startTime: record.startTime,
    endTime: record.endTime,
    cursor,
    ...(basis ? { basis } : {}),
  };
}

function payloadOf({ record }: DueRecord, deliveryId: string | undefined): IntervalRecord {
  return deliveryId === undefined ? record : structuredClone(record);
}

function deliveryInfo(
  delivery: string | undefined,
  ledger: CarriedLedger | undefined,
): Pick<RecordsInfo, "delivery" | "ledger"> {
  return { ...(delivery !== undefined && { delivery }), ...(ledger && { ledger }) };
}
