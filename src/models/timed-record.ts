// A service record with its parsed times, and sorted lists of such records.
import type { IntervalRecord } from "./telemetry";
import { parseServiceTime } from "./time";
import type { UnreadableItem } from "./unreadable-item";

/**
 * A record as the service sent it; `start` and `end` in milliseconds since the epoch. A class, because V8 allocates object
 * literals of this kind as long-lived, and each would keep its record in memory until the next full garbage collection.
 */
export class TimedRecord<R extends IntervalRecord = IntervalRecord> {
  constructor(
    readonly record: R,
    readonly start: number,
    readonly end: number,
  ) {}
}

/** What a response says of a series. */
export interface RecordAnswer<R extends IntervalRecord = IntervalRecord> {
  /** In time order, each once. */
  readonly records: readonly TimedRecord<R>[];
  readonly unreadable: readonly UnreadableItem[];
}

/** The record with its times; undefined if one is missing or invalid. */
export function readTimes<R extends IntervalRecord>(
  record: R,
  timeOf: (text: unknown) => number | undefined = parseServiceTime,
): TimedRecord<R> | undefined {
  const start = timeOf(record.startTime);
  const end = timeOf(record.endTime);
  return start === undefined || end === undefined ? undefined : new TimedRecord(record, start, end);
}

/**
 * Sorts and deduplicates the records of one or more responses. Of records with the same start, from neighboring windows or
 * repeated by the service, it keeps the one with the latest end.
 */
export function uniqueInOrder<R extends IntervalRecord>(
  records: readonly TimedRecord<R>[],
): readonly TimedRecord<R>[] {
  // Almost every response is in order already.
  if (records.every((record, index) => index === 0 || record.start > (records[index - 1]?.start ?? 0)))
    return records;
  const byStart = new Map<number, TimedRecord<R>>();
  for (const next of records) {
    const known = byStart.get(next.start);
    if (!known || known.end <= next.end) byStart.set(next.start, next);
  }
  return [...byStart.values()].toSorted((a, b) => a.start - b.start);
}
