// Telemetry and revenue-grade meter records (service interface 2.5), and their times: energy in Wh, power in W, percentages
// from 0 to 100.
import type { MeasuredGroup } from "./measurements";
import type { ServiceObject } from "./service-object";
import { parseServiceTime } from "./time";

/** Solar or consumption. PC1 measures solar on the DC side. */
export type MeterGroup = MeasuredGroup<"solar">;

/** Positive = discharge, negative = charge. PC1 measures storage on the DC side. */
export type StorageGroup = MeasuredGroup<"storage">;

/** AC-side measurement of a PC1 inverter; the revenue-grade meter has the same fields. */
export type InverterGroup = MeasuredGroup<"inverter">;

/** Positive = import, negative = export. */
export interface GridGroup extends InverterGroup {
  /** Always null for PC1. */
  connectivityStatus?: string | null;
}

/** One interval of a time series; both times are ISO 8601. */
export interface IntervalRecord extends ServiceObject {
  startTime: string;
  endTime: string;
}

/** A group is null if the equipment is absent. */
export interface TelemetryRecord extends IntervalRecord {
  grid?: GridGroup | null;
  solar?: MeterGroup | null;
  consumption?: MeterGroup | null;
  storage?: StorageGroup | null;
  /** Only if requested with includeInverter. */
  inverter?: InverterGroup | null;
}

export interface RgmRecord extends IntervalRecord {
  rgm?: InverterGroup | null;
}

/** The two kinds of records, each with an endpoint of its own. */
export type SourceName = "telemetry" | "rgm";

/**
 * A record as the service sent it; `start` and `end` in milliseconds since the epoch. A class: V8 takes literals for long-lived if the
 * first hundred outlive a garbage collection, and with them what they lead to.
 */
export class TimedRecord<R extends IntervalRecord = IntervalRecord> {
  constructor(
    readonly record: R,
    readonly start: number,
    readonly end: number,
  ) {}
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
 * Sorts the records of one or more responses, and keeps one of those with the same start and end, from neighboring windows or
 * repeated by the service. Records with the same start and different ends are different records, the shortest first.
 */
export function uniqueInOrder<R extends IntervalRecord>(
  records: readonly TimedRecord<R>[],
): readonly TimedRecord<R>[] {
  // Almost every response is in order already.
  if (records.every((record, index) => index === 0 || record.start > (records[index - 1]?.start ?? 0)))
    return records;
  const unique = new Map(records.map((next) => [`${next.start}/${next.end}`, next]));
  return [...unique.values()].toSorted((a, b) => a.start - b.start || a.end - b.end);
}
