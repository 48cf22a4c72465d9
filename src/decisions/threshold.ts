// The state machine of a threshold: high, low or unsafe, with the rule, the readings and the decisions it deals in.
import { CLOCK_TOLERANCE, type Moment } from "../clock";
import type { NoValueReason } from "./freshness";

/** Which limit a value has reached. */
export type Edge = "high" | "low";

/** Durations in milliseconds. */
export interface ThresholdRule {
  /** A value at or above `high` is high, one at or below `low` is low; in between, the side is kept. */
  readonly high: number;
  readonly low: number;
  /** How long a value must stay beyond a limit. */
  readonly hold: number;
  /** Maximum age of a value; 0 = any age. */
  readonly maxAge: number;
  /** How often the present side is sent again; 0 = never. */
  readonly repeat: number;
  /** Bounds of a plausible value, inclusive; undefined = none. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** What a message says. Times in milliseconds since the epoch. */
export interface ThresholdReading {
  /** Null if there is none, which is not the same as 0. */
  readonly value: number | null;
  /** When the value's record began; undefined if unknown. */
  readonly start?: number | undefined;
  /** When it ended; undefined for a value without times, which is as old as its arrival. */
  readonly end?: number | undefined;
  /** Why there is no value, if the sender knows. */
  readonly reason?: NoValueReason | undefined;
}

/** A change that must hold before it counts. */
interface Waiting {
  readonly edge: Edge;
  /** When the value crossed the limit, by the time of its record; undefined for a value without times. */
  readonly since: number | undefined;
  /** The same by the monotonic clock. */
  readonly seen: number;
}

/** What survives a restart. Times in milliseconds since the epoch. */
export interface StoredThreshold {
  /** The last edge sent; undefined if there was none since the last unsafe time. */
  readonly side?: Edge | undefined;
  /** Why it is not safe to decide; undefined while it is. */
  readonly unsafe?: NoValueReason | undefined;
  /** The last safe value. */
  readonly value?: number | undefined;
  /** When that value was true. */
  readonly time?: number | undefined;
  /** End of the newest record decided on, safe or not. */
  readonly end?: number | undefined;
}

/** Plain data. A state without value or reason waits for its first value. */
export interface ThresholdState extends StoredThreshold {
  /** Whether `time` was read from a record or a store, so that the value also ages by the wall clock. */
  readonly isTimed?: boolean | undefined;
  /** When the value becomes too old, by the monotonic clock; undefined = never. */
  readonly deadline?: number | undefined;
  readonly waiting?: Waiting | undefined;
  /** When the side was last sent, by the monotonic clock. */
  readonly sent?: number | undefined;
}

/** What to send. `value` is the value decided on, or the one that is too old or implausible. */
export type Decision =
  | { readonly edge: Edge; readonly value: number | null; readonly repeated?: true }
  | { readonly reason: NoValueReason; readonly value: number | null };

export interface ThresholdStep {
  readonly state: ThresholdState;
  /** The previous value had become too old before the message arrived, and this was not reported yet: to be sent first. */
  readonly overdue?: Decision | undefined;
  readonly decision?: Decision | undefined;
}

/** The state of a subject without a value: unsafe once no value has come for the maximum age. */
export function awaitingValue({ monotonic }: Moment, { maxAge }: ThresholdRule): ThresholdState {
  return { deadline: maxAge > 0 ? monotonic + maxAge : undefined };
}

/**
 * The state after a restart. Hold times start over. The age of a value whose stored time is in the future is unknown, because
 * the clock was wrong then or is wrong now: the value is too old.
 */
export function afterRestart(
  { side, unsafe, value, time, end }: StoredThreshold,
  moment: Moment,
  rule: ThresholdRule,
): ThresholdState {
  const { now, monotonic } = moment;
  const trueAt = time === undefined ? undefined : Math.min(time, now);
  const known = { value, time: trueAt, end: end === undefined ? undefined : Math.min(end, now) };
  if (unsafe !== undefined) return { ...known, unsafe };
  const isAgeKnown = time === undefined || time <= now + CLOCK_TOLERANCE;
  const deadline = deadlineOf(trueAt ?? now, moment, rule);
  return {
    ...known,
    side,
    isTimed: true,
    deadline: isAgeKnown || deadline === undefined ? deadline : monotonic - 1,
    sent: side && monotonic,
  };
}

/** When a value that was true at a time becomes too old, by the monotonic clock. */
export function deadlineOf(
  time: number,
  { now, monotonic }: Moment,
  { maxAge }: ThresholdRule,
): number | undefined {
  return maxAge > 0 ? monotonic + maxAge - (now - time) : undefined;
}

export function isPlausible(value: number, { min, max }: ThresholdRule): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** The side is sent now. */
export function toEdge(state: ThresholdState, edge: Edge, { monotonic }: Moment): ThresholdStep {
  const next = { ...state, side: edge, waiting: undefined, sent: monotonic };
  return { state: next, decision: { edge, value: state.value ?? null } };
}

/** Forgets the side, so that the first safe value beyond either limit is an edge. Reported once for each unsafe time. */
export function toUnsafe(
  { unsafe, value: known, time, end }: ThresholdState,
  reason: NoValueReason,
  value: number | null,
): ThresholdStep {
  const state = { unsafe: reason, value: known, time, end };
  return unsafe === undefined ? { state, decision: { reason, value } } : { state };
}
