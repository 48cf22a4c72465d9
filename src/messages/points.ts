// Converts records and totals to points: for a database, as line protocol or rows, or one per number for a chart. Null is not 0.
import type { SeriesAddress } from "../series/identity";
import { type Reading, readingsOf } from "../models/measurements";
import { objectOf, type ServiceObject } from "../models/service-object";
import type { TimedRecord } from "../models/telemetry";
import { parseServiceTime } from "../models/time";
import { defined } from "../objects";
import { isId } from "../settings/rules";
import { isPeriodName, PERIODS } from "../site-calendar";

/** In the format of an influxdb batch node. */
export interface InfluxPoint {
  measurement: string;
  /** `period` tells totals of different length apart, such as `hour` and `day`. */
  tags: { siteId: string; systemId?: string; period?: string };
  /** Keyed by `group_field`, such as `storage_stateOfCharge`. */
  fields: Record<string, Reading["value"]>;
  /** End of the record; of totals, the start of the part. */
  timestamp: Date;
}

/** A flat object for csv, SQL or a sheet: a column for each value, and ISO 8601 times. */
export interface Row {
  siteId: string;
  systemId?: string;
  period?: string;
  startTime: string;
  endTime: string;
  [field: string]: Reading["value"] | undefined;
}

/** In the format of a dashboard chart. */
export interface ChartPoint {
  /** Group and field, such as `storage.stateOfCharge`. */
  series: string;
  /** End of the record, in milliseconds since the epoch; of totals, the start of the part. */
  x: number;
  y: number;
}

/** What becomes one point: a record, or a part of totals. Times in milliseconds. */
export interface Measured {
  readonly startTime: string;
  readonly endTime: string;
  readonly time: number;
  readonly readings: readonly Reading[];
  readonly period?: string;
}

export function measuredRecord({ record, end }: TimedRecord): Measured {
  const { startTime, endTime } = record;
  return { startTime, endTime, time: end, readings: readingsOf(record) };
}

/** How long a period is; a part is named by its length. */
function lengthOf(period: string): string {
  if (isPeriodName(period)) return PERIODS[period][0];
  return period === "message" ? "period" : period;
}

/** The parts of totals or, if they are not split, the whole; without those that have no times. */
export function* measuredTotals(payload: ServiceObject): Iterable<Measured> {
  const { parts } = payload;
  const all: unknown[] = Array.isArray(parts) ? parts : [payload];
  for (const part of all.map(objectOf)) {
    const { startTime, endTime, energy, flows, share, money } = part;
    // A tag without a value is no line protocol.
    const period = lengthOf(isId(part["period"]) ? part["period"] : "message");
    const time = parseServiceTime(startTime);
    if (time === undefined || typeof startTime !== "string" || typeof endTime !== "string") continue;
    const { power } = objectOf(part["peak"]);
    const { coverage } = objectOf(part["quality"]);
    const groups = { energy, flows, share, money, peak: { power }, quality: { coverage } };
    yield { startTime, endTime, time, readings: readingsOf(groups), period };
  }
}

/** None without a value. A point written twice overwrites itself, since its tags and time are the same. */
export function influxPoints(
  { time, readings, period }: Measured,
  address: SeriesAddress,
  measurement: string,
): InfluxPoint[] {
  if (readings.length === 0) return [];
  const tags = defined({ ...address, period });
  return [{ measurement, tags, fields: fieldsOf(readings), timestamp: new Date(time) }];
}

/** Line protocol with the time in milliseconds. */
export function lineOf({ measurement, tags, fields, timestamp }: InfluxPoint): string {
  const tagSet = Object.entries(tags).map(([name, value]) => `,${lineKey(name)}=${lineKey(value)}`);
  const fieldSet = Object.entries(fields).map(([name, value]) => `${lineKey(name)}=${lineValue(value)}`);
  // A line that begins with `#` is a comment.
  const start = lineKey(measurement, /[, ]/g).replace(/^#/, "%23");
  return `${start}${tagSet.join("")} ${fieldSet.join(",")} ${timestamp.getTime()}`;
}

export function rowOf({ startTime, endTime, readings, period }: Measured, address: SeriesAddress): Row {
  return { ...defined({ ...address, period }), startTime, endTime, ...fieldsOf(readings) };
}

export function chartPoints({ time, readings }: Measured): ChartPoint[] {
  return readings.flatMap(({ group, field, value }) =>
    typeof value === "number" ? [{ series: `${group}.${field}`, x: time, y: value }] : [],
  );
}

function fieldsOf(readings: readonly Reading[]): Record<string, Reading["value"]> {
  return Object.fromEntries(readings.map(({ group, field, value }) => [`${group}_${field}`, value]));
}

/** A name, or the value of a tag. */
function lineKey(text: string, special = /[,= ]/g): string {
  // A backslash before a character with a meaning would take that of the backslash that escapes it.
  const unambiguous = oneLine(text).replaceAll(/\\+(?=[,= ]|$)/g, encodeURIComponent);
  return unambiguous.replaceAll(special, String.raw`\$&`);
}

function lineValue(value: Reading["value"]): string {
  if (typeof value !== "string") return String(value);
  return `"${oneLine(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}
