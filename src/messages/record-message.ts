// Builds messages that carry records: the service's own objects, and what the package knows about them.
import type { DueRecord } from "../ledger/due-record";
import type { SeriesAddress } from "../ledger/record-id";
import type { Basis } from "../models/basis";
import type { IntervalRecord } from "../models/telemetry";
import type { MessageEnergy, RecordInfo, RecordsInfo } from "./energy";

/** How a message describes the records of a series. */
export interface RecordDescription {
  /** The id of a record by its start in milliseconds. */
  idOf: (start: number) => string;
  energy: (info: RecordInfo | RecordsInfo) => MessageEnergy;
  /** The basis of each group of a record; undefined if unknown. */
  basisOf: (record: IntervalRecord) => Record<string, Basis> | undefined;
}

/** The parts of a message with records. */
export interface RecordContent {
  payload: IntervalRecord | IntervalRecord[];
  energy: MessageEnergy;
  address: SeriesAddress;
}

/** With a delivery id the payload is a copy, so that receivers cannot change what may be resent. */
type ContentBuilder = (
  address: SeriesAddress,
  description: RecordDescription,
  due: readonly DueRecord[],
  deliveryId?: string,
) => RecordContent;

/** A message with one record. */
export const recordContent: ContentBuilder = (address, description, due, deliveryId) => {
  const [only] = due;
  if (!only) throw new RangeError("a record message holds one record");
  const info = { ...recordInfo(description, only), ...deliveryInfo(deliveryId) };
  return { payload: payloadOf(only, deliveryId), address, energy: description.energy(info) };
};

/** A message with several records. */
export const batchContent: ContentBuilder = (address, description, due, deliveryId) => {
  const records = due.map((record) => recordInfo(description, record));
  const info = { records, cursor: records.at(-1)?.cursor ?? "", ...deliveryInfo(deliveryId) };
  return {
    payload: due.map((record) => payloadOf(record, deliveryId)),
    address,
    energy: description.energy(info),
  };
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

function deliveryInfo(delivery: string | undefined): { delivery?: string } {
  return delivery === undefined ? {} : { delivery };
}
