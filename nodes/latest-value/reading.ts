// Evaluates the newest record: a value that is safe to act on, or the reason why there is none.
import { sharedClock } from "../../src/clock";
import { ConfigError } from "../../src/errors";
import type { LatestValueEnergy } from "../../src/messages/messages";
import { UNITS } from "../../src/models/measurements";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { ageSeconds, isFresh } from "../../src/decisions/freshness";
import type { TimedRecord } from "../../src/models/timed-record";
import { clock, noValueStatus, type StatusText } from "../shared/runtime/status";

export interface Reading {
  /** Null if there is a reason. */
  value: unknown;
  energy: LatestValueEnergy;
}

export interface ReadingRule {
  /** Path within the record; "" = the whole record. */
  path: string;
  valueAt: (record: TelemetryRecord) => unknown;
  now: number;
  maxAgeMinutes: number;
}

/** Null is never read as 0, and a stale value is not a value: both produce a reason. */
export function readingOf(timed: TimedRecord | undefined, rule: ReadingRule): Reading {
  const { path, now, maxAgeMinutes } = rule;
  if (!timed) return missingReading(path);
  const { record, start, end } = timed;
  // A record in progress says what was true when it began.
  const trueAt = end > now ? start : end;
  const energy: LatestValueEnergy = {
    kind: "latest-value",
    path,
    record,
    startTime: record.startTime,
    endTime: record.endTime,
    ageSeconds: ageSeconds(trueAt, now),
  };
  if (!isFresh(trueAt, now, maxAgeMinutes)) return { value: null, energy: { ...energy, reason: "stale" } };
  // The message holds the record twice; a change to the payload must not affect the copy in msg.energy.
  const value = path === "" ? structuredClone(record) : structuredClone(readPath(record, rule));
  if (value === null || value === undefined)
    return { value: null, energy: { ...energy, reason: "no-value" } };
  return { value, energy };
}

/** Returns undefined if the path leads through null; throws ConfigError if the path itself is invalid. */
function readPath(record: TelemetryRecord, { path, valueAt }: ReadingRule): unknown {
  try {
    const value = valueAt(record);
    // Inherited members such as `constructor` are not fields of the record.
    return typeof value === "function" ? undefined : value;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw new ConfigError("pathInvalid", { path });
  }
}

/** For a system without a record, or one that no longer exists. */
export function missingReading(path: string): Reading {
  return { value: null, energy: { kind: "latest-value", path, reason: "no-record" } };
}

export function failedReading(path: string): Reading {
  return { value: null, energy: { kind: "latest-value", path, reason: "failed" } };
}

/** Shows the value of a single reading, or the number of readings. */
export function readingStatus(readings: Reading[]): StatusText {
  const [first] = readings;
  if (!first || readings.length > 1)
    return { key: "latest-value:values", values: { time: clock(sharedClock.now()), count: readings.length } };
  const { value, energy } = first;
  if (energy.reason !== undefined) return noValueStatus(energy.reason, energy.ageSeconds);
  const time = clock(Date.parse(energy.endTime ?? ""));
  if (typeof value !== "number" && typeof value !== "string")
    return { key: "records", values: { time, count: 1 } };
  const shown = [String(value).slice(0, 12), UNITS.get(energy.path)].filter(Boolean).join(" ");
  return { key: "latest-value:value", values: { value: shown, time } };
}
