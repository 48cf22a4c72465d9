// The single readings of a record, whatever groups and fields it has.
import { isServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";
import { isTopicLevel } from "./topics";

export interface Reading {
  group: string;
  field: string;
  value: number | string | boolean;
}

/** Null is no reading: it is never told, and never 0. Nor is what cannot be told under a topic. */
export function readingsOf(record: IntervalRecord): Reading[] {
  return Object.entries(record).flatMap(([group, fields]) => {
    if (!isTopicLevel(group) || !isServiceObject(fields)) return [];
    return Object.entries(fields).flatMap(([field, value]) =>
      isTopicLevel(field) && isReading(value) ? [{ group, field, value }] : [],
    );
  });
}

function isReading(value: unknown): value is Reading["value"] {
  return typeof value === "number"
    ? Number.isFinite(value)
    : typeof value === "string" || typeof value === "boolean";
}
