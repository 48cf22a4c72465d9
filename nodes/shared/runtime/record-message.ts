// The content of messages that carry records: the service's own objects, and what the package knows of each.
import type { RecordInfo } from "../../../src/messages";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { DueRecord } from "../../../src/records/due-record";
import { recordId, type SeriesAddress } from "../../../src/records/record-id";
import type { Content } from "./message";
import type { RecordReader } from "./record-reader";

/** Which series the records are from, and how a message tells them. */
export type RecordTeller = Pick<RecordReader, "source" | "energy">;

export type ContentMaker = (
  address: SeriesAddress,
  reader: RecordTeller,
  due: DueRecord[],
  deliveryId?: string,
) => Content;

/** What one message is to hold: all records, or a record each. */
export function* grouped(due: DueRecord[], isBatch: boolean): Generator<DueRecord[]> {
  if (!isBatch) for (const record of due) yield [record];
  else if (due.length > 0) yield due;
}

/** A message of one record. */
export const recordContent: ContentMaker = (address, reader, due, deliveryId) => {
  const [only] = due;
  if (!only) throw new RangeError("a record message holds one record");
  const info = { ...recordInfo(address, reader, only), ...deliveryOf(deliveryId) };
  return { payload: payloadOf(only, deliveryId), address, energy: reader.energy(info) };
};

/** A message of several records. */
export const batchContent: ContentMaker = (address, reader, due, deliveryId) => {
  const records = due.map((record) => recordInfo(address, reader, record));
  const energy = { records, cursor: records.at(-1)?.cursor ?? "", ...deliveryOf(deliveryId) };
  return {
    payload: due.map((record) => payloadOf(record, deliveryId)),
    address,
    energy: reader.energy(energy),
  };
};

function recordInfo(address: SeriesAddress, { source }: RecordTeller, due: DueRecord): RecordInfo {
  const { startTime, endTime } = due.record;
  return {
    phase: due.phase,
    recordId: recordId(address, source, due.start),
    startTime,
    endTime,
    cursor: due.cursor,
    ...(due.basis ? { basis: due.basis } : {}),
  };
}

/** What may be sent again goes out as a copy: who gets it may change it. */
function payloadOf({ record }: DueRecord, deliveryId: string | undefined): IntervalRecord {
  return deliveryId === undefined ? record : structuredClone(record);
}

function deliveryOf(delivery: string | undefined): { delivery?: string } {
  return delivery === undefined ? {} : { delivery };
}
