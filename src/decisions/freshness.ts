// How long a value may be acted on, and why there may be none.
import type { Clock } from "../clock";
import type { TimedRecord } from "../models/telemetry";
import { intervalOf, type Reader, type Rhythm } from "../series/rhythm";
import { HOUR, isoTime, MINUTE, type TimeWindow } from "../time-units";

/**
 * `live`: fresh at the moment of sending. `catchup`: no longer. `late`: fills a gap. `revised`: sent before, and since given a
 * later end or different values.
 */
export type RecordPhase = "live" | "catchup" | "late" | "revised";

const NO_VALUE_REASONS = ["no-record", "stale", "no-value", "implausible", "failed"] as const;

/** Why there is no value to act on. */
export type NoValueReason = (typeof NO_VALUE_REASONS)[number];

export function isNoValueReason(value: unknown): value is NoValueReason {
  return NO_VALUE_REASONS.some((reason) => reason === value);
}

/** How long a record may be acted on after its end, in milliseconds. */
export type ValidFor = (record: TimeWindow) => number;

/** Bounds of what is computed. The least is also what applies where nothing is known. */
export const LEAST_VALID = 15 * MINUTE;
const MOST_VALID = 3 * HOUR;

/**
 * As set, or else until the record after the next one can be read: while reads succeed and bring the newest record that there
 * can be, nothing becomes stale.
 */
export function validFor(maxAgeMinutes: number | undefined, rhythm: Rhythm, reader: Reader): ValidFor {
  if (maxAgeMinutes !== undefined) return () => maxAgeMinutes * MINUTE;
  const longest = Math.max(0, ...rhythm.lengths);
  const rest = Math.max(0, ...rhythm.lags) + 2 * intervalOf(rhythm, reader);
  return ({ start, end }) =>
    Math.min(Math.max(Math.max(end - start, longest) + rest, LEAST_VALID), MOST_VALID);
}

/** Whether what is valid until a time may be acted on now. While no one knows what time it is, nothing may. */
export function isFresh(validUntil: number, clock: Pick<Clock, "now" | "isSure">): boolean {
  return clock.isSure && clock.now() <= validUntil;
}

/**
 * The moment for which a record's values hold: its end, or its start while it is still in progress, or now if that start is
 * unknown. Times in milliseconds.
 */
export function trueAt({ start, end }: { start?: number | undefined; end: number }, now: number): number {
  return end > now ? (start ?? now) : end;
}

/** When a record was measured, how old it is, in whole seconds, and until when it may be acted on. */
export function freshness(timed: TimedRecord, validFor: ValidFor, clock: Pick<Clock, "now" | "isSure">) {
  const { startTime, endTime } = timed.record;
  const now = clock.now();
  const time = trueAt(timed, now);
  const until = time + validFor(timed);
  const ageSeconds = Math.max(0, Math.round((now - time) / 1000));
  return { startTime, endTime, ageSeconds, validUntil: isoTime(until), isFresh: isFresh(until, clock) };
}
