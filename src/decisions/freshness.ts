// How old a record is, and what its age makes of it.
import { MINUTE } from "../time-units";

/**
 * `live`: fresh when first sent. `catchup`: already older than maxAge when first sent. `late`: fills a gap.
 * `revised`: sent before, and now with a later end or other numbers.
 */
export type RecordPhase = "live" | "catchup" | "late" | "revised";

/** Why there is no value to act on. */
export type NoValueReason = "no-record" | "stale" | "no-value" | "failed";

/** Whole seconds from a record's end to now; 0 for a record that ends in the future. */
export function ageSeconds(end: number, now: number): number {
  return Math.max(0, Math.round((now - end) / 1000));
}

/** Whether a record that ended at `end` may be taken for the present state. */
export function isFresh(end: number, now: number, maxAgeMinutes: number): boolean {
  return now - end <= maxAgeMinutes * MINUTE;
}
