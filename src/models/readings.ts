// The individual readings of a record, whatever its groups and fields.
import { isServiceObject } from "./service-object";
import type { IntervalRecord } from "./telemetry";

/** One field of one group. `value` is in the unit of the field: power in W, energy in Wh, percentages from 0 to 100. */
export interface Reading {
  group: string;
  field: string;
  value: number | string | boolean;
}

/** The readings in the order of the record, unknown groups and fields included. Null is not a reading. */
export function readingsOf(record: IntervalRecord): Reading[] {
  return Object.entries(record).flatMap(([group, fields]) =>
    isServiceObject(fields)
      ? Object.entries(fields).flatMap(([field, value]) =>
          isReadingValue(value) ? [{ group, field, value }] : [],
        )
      : [],
  );
}

function isReadingValue(value: unknown): value is Reading["value"] {
  return Number.isFinite(value) || typeof value === "string" || typeof value === "boolean";
}
