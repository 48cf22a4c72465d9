// What a threshold decides without a message: silence, the end of a hold time, and the repetition of a side.
import type { Moment } from "../clock";
import {
  isPlausible,
  type ThresholdRule,
  type ThresholdState,
  type ThresholdStep,
  toEdge,
  toUnsafe,
} from "./threshold";

const NEVER = Number.POSITIVE_INFINITY;

/** Applies the passing of time. */
export function stepByTime(state: ThresholdState, moment: Moment, rule: ThresholdRule): ThresholdStep {
  const silence = stepBySilence(state, moment, rule);
  if (silence.decision) return silence;
  if (holdLeft(state, moment, rule) <= 0 && state.waiting) return toEdge(state, state.waiting.edge, moment);
  if (repeatLeft(state, moment, rule) > 0) return { state };
  const { side, value = null } = state;
  const next = { ...state, sent: moment.monotonic };
  return side === undefined ? { state } : { state: next, decision: { edge: side, value, repeated: true } };
}

/** Only what makes a state unsafe: its value has become too old, or is not plausible under a rule that has changed. */
export function stepBySilence(state: ThresholdState, moment: Moment, rule: ThresholdRule): ThresholdStep {
  const { unsafe, value } = state;
  if (unsafe !== undefined) return { state };
  if (freshnessLeft(state, moment, rule) < 0) return toUnsafe(state, "stale", value ?? null);
  if (value !== undefined && !isPlausible(value, rule)) return toUnsafe(state, "implausible", value);
  return { state };
}

/** Milliseconds until `stepByTime` has something to decide, if no message comes and no clock is set; Infinity = never. */
export function timeToDecision(state: ThresholdState, moment: Moment, rule: ThresholdRule): number {
  if (state.unsafe !== undefined) return NEVER;
  // A value of exactly the maximum age is still fresh.
  const silence = freshnessLeft(state, moment, rule) + 1;
  return Math.min(silence, holdLeft(state, moment, rule), repeatLeft(state, moment, rule));
}

/**
 * Milliseconds for which the value is still fresh; negative if it is too old. The monotonic clock always counts, so that a clock
 * that is set back makes nothing fresh. The time of a record counts by the wall clock, too.
 */
function freshnessLeft(
  { deadline, isTimed, time }: ThresholdState,
  { now, monotonic }: Moment,
  { maxAge }: ThresholdRule,
): number {
  const byDeadline = deadline === undefined ? NEVER : deadline - monotonic;
  const byTime = isTimed && time !== undefined && maxAge > 0 ? maxAge - (now - time) : NEVER;
  return Math.min(byDeadline, byTime);
}

function holdLeft({ waiting }: ThresholdState, { monotonic }: Moment, { hold }: ThresholdRule): number {
  return waiting === undefined ? NEVER : waiting.seen + hold - monotonic;
}

function repeatLeft(
  { side, sent }: ThresholdState,
  { monotonic }: Moment,
  { repeat }: ThresholdRule,
): number {
  return repeat > 0 && side !== undefined && sent !== undefined ? sent + repeat - monotonic : NEVER;
}
