// The single readings of a record, whatever groups and fields it has.
import { isServiceObject } from "./service-object";
import type { IntervalRecord } from "./telemetry";

/** One value of one group. `value` has the unit of its field: power in W, energy in Wh, percentages out of 100. */
export interface Reading {
  group: string;
  field: string;
  value: number | string | boolean;
}

/** In the order of the record, including groups and fields that this version does not know. Null is not a reading. */
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
