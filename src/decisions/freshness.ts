// The age of a record, and what follows from it.
import { MINUTE } from "../time-units";

/**
 * `live`: fresh when first sent. `catchup`: older than maxAge when first sent. `late`: fills a gap.
 * `revised`: sent before, and since given a later end or different values.
 */
export type RecordPhase = "live" | "catchup" | "late" | "revised";

const NO_VALUE_REASONS = ["no-record", "stale", "no-value", "implausible", "failed"] as const;

/** Why there is no value to act on. */
export type NoValueReason = (typeof NO_VALUE_REASONS)[number];

export function isNoValueReason(value: unknown): value is NoValueReason {
  return NO_VALUE_REASONS.some((reason) => reason === value);
}

/**
 * The moment for which a record's values hold: its end, or its start while it is still in progress, or now if that start is
 * unknown. Times in milliseconds.
 */
export function trueAt({ start, end }: { start?: number | undefined; end: number }, now: number): number {
  return end > now ? (start ?? now) : end;
}

/** Whole seconds from a record's end to now; 0 if it ends in the future. Times in milliseconds. */
export function ageSeconds(end: number, now: number): number {
  return Math.max(0, Math.round((now - end) / 1000));
}

/** Whether a record that ended at `end` is still current. Times in milliseconds. */
export function isFresh(end: number, now: number, maxAgeMinutes: number): boolean {
  return now - end <= maxAgeMinutes * MINUTE;
}
