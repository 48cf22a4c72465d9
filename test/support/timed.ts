// A record with its times, as returned by the client.
import assert from "node:assert/strict";
import { type IntervalRecord, readTimes, type TimedRecord } from "../../src/models/telemetry";

export function timed<R extends IntervalRecord>(record: R): TimedRecord<R> {
  const read = readTimes(record);
  assert.ok(read, "the record must have valid times");
  return read;
}
