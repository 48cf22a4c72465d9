// Converts records to points: one per record for a database, one per number for a chart. Null is not 0.
import type { SeriesAddress } from "../series/identity";
import type { TimedRecord } from "../models/telemetry";
import { type Reading, readingsOf } from "../models/measurements";

/** In the format of an influxdb batch node. */
export interface InfluxPoint {
  measurement: string;
  tags: { siteId: string; systemId?: string };
  /** Keyed by `group_field`, such as `storage_stateOfCharge`. */
  fields: Record<string, Reading["value"]>;
  /** End of the record. */
  timestamp: Date;
}

/** In the format of a dashboard chart. */
export interface ChartPoint {
  /** Group and field, such as `storage.stateOfCharge`. */
  series: string;
  /** End of the record, in milliseconds since the epoch. */
  x: number;
  y: number;
}

/** A point for each record with a value. A point written twice overwrites itself, since its tags and time are the same. */
export function influxPoints(
  records: TimedRecord[],
  { siteId, systemId }: SeriesAddress,
  measurement: string,
): InfluxPoint[] {
  return records.flatMap(({ record, end }) => {
    const fields = readingsOf(record).map(({ group, field, value }) => [`${group}_${field}`, value] as const);
    if (fields.length === 0) return [];
    const tags = systemId === undefined ? { siteId } : { siteId, systemId };
    return [{ measurement, tags, fields: Object.fromEntries(fields), timestamp: new Date(end) }];
  });
}

/** A point for each number of each record. */
export function chartPoints(records: TimedRecord[]): ChartPoint[] {
  return records.flatMap(({ record, end }) =>
    readingsOf(record).flatMap(({ group, field, value }) =>
      typeof value === "number" ? [{ series: `${group}.${field}`, x: end, y: value }] : [],
    ),
  );
}
