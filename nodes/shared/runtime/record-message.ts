// The content of messages that carry records: the service's own objects, and what the package knows of each.
import type { RecordInfo } from "../../../src/messages";
import type { DueRecord } from "../../../src/records/ledger";
import { recordId, type SeriesAddress } from "../../../src/records/record-id";
import type { Content } from "./message";
import type { RecordReader } from "./record-poll";

export function recordContent(address: SeriesAddress, reader: RecordReader, due: DueRecord): Content {
  return { payload: due.record, address, energy: reader.energy(recordInfo(address, reader, due)) };
}

export function batchContent(address: SeriesAddress, reader: RecordReader, due: DueRecord[]): Content {
  const records = due.map((record) => recordInfo(address, reader, record));
  const energy = reader.energy({ records, cursor: records.at(-1)?.cursor ?? "" });
  return { payload: due.map(({ record }) => record), address, energy };
}

function recordInfo(address: SeriesAddress, { source }: RecordReader, due: DueRecord): RecordInfo {
  const { startTime, endTime } = due.record;
  return {
    phase: due.phase,
    recordId: recordId(address, source, due.start),
    startTime,
    endTime,
    cursor: due.cursor,
  };
}
