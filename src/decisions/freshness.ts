// How old a record is, and what follows from its age.
import { MINUTE } from "../time-units";

/**
 * `live`: fresh when first sent. `catchup`: older than maxAge when first sent. `late`: fills a gap.
 * `revised`: was sent before, and now has a later end or other numbers.
 */
export type RecordPhase = "live" | "catchup" | "late" | "revised";

const NO_VALUE_REASONS = ["no-record", "stale", "no-value", "implausible", "failed"] as const;

/** Why there is no value to act on. */
export type NoValueReason = (typeof NO_VALUE_REASONS)[number];

export function isNoValueReason(value: unknown): value is NoValueReason {
  return NO_VALUE_REASONS.some((reason) => reason === value);
}

/** Whole seconds from a record's end to now; 0 for a record that ends in the future. */
export function ageSeconds(end: number, now: number): number {
  return Math.max(0, Math.round((now - end) / 1000));
}

/** Whether a record that ended at `end` still shows the present state. Times in milliseconds. */
export function isFresh(end: number, now: number, maxAgeMinutes: number): boolean {
  return now - end <= maxAgeMinutes * MINUTE;
}
