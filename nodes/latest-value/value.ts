// Evaluates the newest record: a value that is safe to act on, or the reason why there is none.
import type { NodeAPI } from "node-red";
import { type Clock, sharedClock } from "../../src/clock";
import { ConfigError } from "../../src/errors";
import type { LatestValueEnergy } from "../../src/messages/messages";
import { DERIVED } from "../../src/totals/energies";
import { isPlausible, shownMeasurement, UNITS } from "../../src/models/measurements";
import type { TelemetryRecord, TimedRecord } from "../../src/models/telemetry";
import { parseServiceTime } from "../../src/models/time";
import { freshness, type NoValueReason, type ValidFor } from "../../src/decisions/freshness";
import { shownText } from "../../src/shown-text";
import { noValueStatus, type StatusText, timeOfDay, warningStatus } from "../shared/runtime/base/status";
import { decimalOf } from "../../src/settings/rules";

/** Characters of a text in the status. */
const MAX_SHOWN = 12;

export interface LatestValue {
  /** Null if there is a reason. */
  value: unknown;
  energy: LatestValueEnergy;
}

/**
 * Null is never read as 0, and a value that is stale or impossible is none: each produces a reason. The path is one within the
 * record; "" = the whole record.
 */
export function valueOf(
  RED: NodeAPI,
  timed: TimedRecord | undefined,
  { path, clock, validFor }: { path: string; clock: Clock; validFor: ValidFor },
): LatestValue {
  if (!timed) return noValue("no-record", path);
  const { record } = timed;
  const { isFresh, ...age } = freshness(timed, validFor, clock);
  const energy: LatestValueEnergy = { kind: "latest-value", path, record, ...age };
  const without = (reason: NoValueReason): LatestValue => ({ value: null, energy: { ...energy, reason } });
  if (!isFresh) return without("stale");
  // The message holds the record twice; a change to the payload must not affect the copy in msg.energy.
  const value = structuredClone(
    path === "" ? record : (DERIVED.get(path)?.({ ...record }) ?? readPath(RED, record, path)),
  );
  if (value === null || value === undefined) return without("no-value");
  // JSON has numbers that are too large, such as 1e999.
  if (typeof value === "number" && !Number.isFinite(value)) return without("no-value");
  if (!isPlausible(path, value)) return without("implausible");
  return { value, energy };
}

/** Returns undefined if the path leads through null; throws ConfigError if the path itself is invalid. */
function readPath(RED: NodeAPI, record: TelemetryRecord, path: string): unknown {
  try {
    const value: unknown = RED.util.getObjectProperty({ ...record }, path);
    // Inherited members such as `constructor` are not fields of the record.
    return typeof value === "function" ? undefined : value;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw new ConfigError("pathInvalid", { path });
  }
}

/** For a system without a record, or one that no longer exists, and for one that could not be read. */
export function noValue(reason: "no-record" | "failed", path: string): LatestValue {
  return { value: null, energy: { kind: "latest-value", path, reason } };
}

/** Shows a single value with the end of its record, or the number of values. */
export function valueStatus(values: LatestValue[]): StatusText {
  const [first] = values;
  if (!first || values.length > 1) return valuesStatus(values);
  const { value, energy } = first;
  if (energy.reason !== undefined) return noValueStatus(energy.reason, energy.ageSeconds);
  const time = timeOfDay(parseServiceTime(energy.endTime) ?? Number.NaN);
  if (typeof value !== "number" && typeof value !== "string")
    return { key: "records", values: { time, count: 1 } };
  return { key: "latest-value:value", values: { value: shownValue(value, UNITS.get(energy.path)), time } };
}

/** A number is rounded for people only: the payload has the number itself. */
function shownValue(value: number | string, unit?: string): string {
  // Text without a unit may be a serial number.
  const number = typeof value === "number" || unit !== undefined ? decimalOf(value) : null;
  if (number !== null) return shownMeasurement(number, unit);
  return [shownText(String(value), MAX_SHOWN), unit].filter(Boolean).join(" ");
}

function valuesStatus(values: LatestValue[]): StatusText {
  const time = timeOfDay(sharedClock.now());
  const total = values.length;
  const usable = values.filter(({ energy }) => energy.reason === undefined).length;
  return usable === total
    ? { key: "latest-value:values", values: { time, count: total } }
    : warningStatus("latest-value:someValues", { time, usable, total });
}
