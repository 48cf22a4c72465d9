// Records as points: for a database one point a record, for a chart one a number. Null gives none, it is never 0.
import { InputError } from "../errors";
import { describe, isServiceObject } from "../models/service-object";
import type { ServiceObject } from "../models/site";
import { parseServiceTime } from "../models/time";
import type { SeriesAddress } from "../ledger/record-id";

type FieldValue = number | string | boolean;

/** As an influxdb batch node takes it. */
export interface InfluxPoint {
  measurement: string;
  tags: { siteId: string; systemId?: string };
  /** By `group_field`, such as `storage_stateOfCharge`. */
  fields: Record<string, FieldValue>;
  /** End of the record. */
  timestamp: Date;
}

/** As a chart of a dashboard takes it. */
export interface ChartPoint {
  /** Group and field, such as `storage.stateOfCharge`. */
  series: string;
  /** End of the record, in milliseconds since the epoch. */
  x: number;
  y: number;
}

/** A record and its end in milliseconds. */
export interface EndedRecord {
  record: ServiceObject;
  end: number;
}

/** Throws InputError for what is no record, and for a record without a time. */
export function ended(record: unknown): EndedRecord {
  if (!isServiceObject(record)) {
    throw new InputError("recordMissing", { kind: describe(record) });
  }
  const end = parseServiceTime(record["endTime"]);
  if (end === undefined) throw new InputError("recordTimes");
  return { record, end };
}

/** A point for each record that has a value. Written twice, it changes nothing: series and time are the same. */
export function influxPoints(
  records: EndedRecord[],
  { siteId, systemId }: SeriesAddress,
  measurement: string,
): InfluxPoint[] {
  return records.flatMap(({ record, end }) => {
    const fields = readings(record).map(({ group, field, value }) => [`${group}_${field}`, value] as const);
    if (fields.length === 0) return [];
    const tags = systemId === undefined ? { siteId } : { siteId, systemId };
    return [{ measurement, tags, fields: Object.fromEntries(fields), timestamp: new Date(end) }];
  });
}

/** A point for each number of each record. */
export function chartPoints(records: EndedRecord[]): ChartPoint[] {
  return records.flatMap(({ record, end }) =>
    readings(record).flatMap(({ group, field, value }) =>
      typeof value === "number" ? [{ series: `${group}.${field}`, x: end, y: value }] : [],
    ),
  );
}

interface Reading {
  group: string;
  field: string;
  value: FieldValue;
}

/** Every value of every group, groups and fields that this version does not know included. */
function readings(record: ServiceObject): Reading[] {
  return Object.entries(record).flatMap(([group, fields]) =>
    isServiceObject(fields)
      ? Object.entries(fields).flatMap(([field, value]) =>
          isFieldValue(value) ? [{ group, field, value }] : [],
        )
      : [],
  );
}

function isFieldValue(value: unknown): value is FieldValue {
  return Number.isFinite(value) || typeof value === "string" || typeof value === "boolean";
}
