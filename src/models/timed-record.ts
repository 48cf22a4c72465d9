// A service record with its times read, and lists of them in order.
import type { IntervalRecord } from "./telemetry";
import { parseServiceTime } from "./time";

/**
 * A record as the service gave it; `start` and `end` in milliseconds since the epoch. A class, because V8 takes literals of
 * which many live at once for long-lived: each would keep its record in memory until the next full collection.
 */
export class TimedRecord<R extends IntervalRecord = IntervalRecord> {
  constructor(
    readonly record: R,
    readonly start: number,
    readonly end: number,
  ) {}
}

/** The record with its times; undefined where one is missing or cannot be read. */
export function readTimes<R extends IntervalRecord>(
  record: R,
  timeOf: (text: unknown) => number | undefined = parseServiceTime,
): TimedRecord<R> | undefined {
  const start = timeOf(record.startTime);
  const end = timeOf(record.endTime);
  return start === undefined || end === undefined ? undefined : new TimedRecord(record, start, end);
}

/**
 * Records of one or several answers in order of time, each once: a record that is in two neighbouring windows, or that
 * the service gives twice, is kept with its latest end.
 */
export function inOrder<R extends IntervalRecord>(records: readonly TimedRecord<R>[]): TimedRecord<R>[] {
  const byStart = new Map<number, TimedRecord<R>>();
  for (const next of records) {
    const known = byStart.get(next.start);
    if (!known || known.end <= next.end) byStart.set(next.start, next);
  }
  return [...byStart.values()].toSorted((a, b) => a.start - b.start);
}
