// The content of messages that carry records: the service's own objects, and what the package knows of each.
import type { MessageEnergy, RecordInfo, RecordsInfo } from "../../../src/messages/messages";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { DueRecord } from "../../../src/ledger/due-record";
import { recordId, type RecordSource, type SeriesAddress } from "../../../src/ledger/record-id";
import type { Content } from "./message";
import type { RecordBasis } from "./record-basis";

/** Which series the records are from, and how a message tells them. */
export interface RecordTeller {
  series: RecordSource;
  energy: (info: RecordInfo | RecordsInfo) => MessageEnergy;
  basisOf: RecordBasis;
}

export type ContentMaker = (
  address: SeriesAddress,
  teller: RecordTeller,
  due: DueRecord[],
  deliveryId?: string,
) => Content;

/** What one message is to hold: all records, or a record each. */
export function* grouped(due: DueRecord[], isBatch: boolean): Generator<DueRecord[]> {
  if (!isBatch) for (const record of due) yield [record];
  else if (due.length > 0) yield due;
}

/** A message of one record. */
export const recordContent: ContentMaker = (address, teller, due, deliveryId) => {
  const [only] = due;
  if (!only) throw new RangeError("a record message holds one record");
  const info = { ...recordInfo(address, teller, only), ...deliveryOf(deliveryId) };
  return { payload: payloadOf(only, deliveryId), address, energy: teller.energy(info) };
};

/** A message of several records. */
export const batchContent: ContentMaker = (address, teller, due, deliveryId) => {
  const records = due.map((record) => recordInfo(address, teller, record));
  const energy = { records, cursor: records.at(-1)?.cursor ?? "", ...deliveryOf(deliveryId) };
  return {
    payload: due.map((record) => payloadOf(record, deliveryId)),
    address,
    energy: teller.energy(energy),
  };
};

function recordInfo(address: SeriesAddress, teller: RecordTeller, due: DueRecord): RecordInfo {
  const { startTime, endTime } = due.record;
  const basis = teller.basisOf(due.record);
  return {
    phase: due.phase,
    recordId: recordId(address, teller.series, due.start),
    startTime,
    endTime,
    cursor: due.cursor,
    ...(basis ? { basis } : {}),
  };
}

/** What may be sent again goes out as a copy: who gets it may change it. */
function payloadOf({ record }: DueRecord, deliveryId: string | undefined): IntervalRecord {
  return deliveryId === undefined ? record : structuredClone(record);
}

function deliveryOf(delivery: string | undefined): { delivery?: string } {
  return delivery === undefined ? {} : { delivery };
}
