// How a threshold decides: high, low or unsafe, by the readings of messages and by the passing of time.
import { CLOCK_TOLERANCE, type Moment } from "../clock";
import { type NoValueReason, trueAt } from "./freshness";

const NEVER = Number.POSITIVE_INFINITY;

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

/** Absent if the settings are not valid: then nothing is safe to act on. */
type KnownRule = ThresholdRule | undefined;

/** The state of a subject without a value: unsafe once no value has come for the maximum age. */
export function awaitingValue(moment: Moment, rule: KnownRule): ThresholdState {
  return { deadline: rule && deadlineOf(moment.now, moment, rule) };
}

/**
 * The state after a restart. Hold times start over. The age of a value whose stored time is in the future is unknown, because
 * the clock was wrong then or is wrong now: the value is too old.
 */
export function afterRestart(
  { side, unsafe, value, time, end }: StoredThreshold,
  moment: Moment,
  rule: KnownRule,
): ThresholdState {
  const { now, monotonic } = moment;
  const known = { value, time: time && Math.min(time, now), end: end && Math.min(end, now) };
  if (unsafe !== undefined) return { ...known, unsafe };
  if (!rule) return { ...known, side };
  const isAgeKnown = time === undefined || time <= now + CLOCK_TOLERANCE;
  const deadline = deadlineOf(known.time ?? now, moment, rule);
  return {
    ...known,
    side,
    isTimed: true,
    deadline: isAgeKnown || deadline === undefined ? deadline : monotonic - 1,
    sent: side && monotonic,
  };
}

/** Applies a reading, which needs a rule. The state is the same object if the reading decides nothing. */
export function stepByReading(
  state: ThresholdState,
  reading: ThresholdReading | undefined,
  moment: Moment,
  rule: KnownRule,
): ThresholdStep {
  if (!rule || !reading) return toUnsafe(state, "failed", null);
  if (isIgnored(state, reading, moment.now)) return { state };
  const before = stepBySilence(state, moment, rule);
  return { ...decide(before.state, reading, moment, rule), overdue: before.decision };
}

/** A read without a result: a value that is still fresh does not become wrong by it, only time makes it unsafe. */
export function isFailure({ reason }: Pick<ThresholdReading, "reason">): boolean {
  return reason === "failed" || reason === "no-record";
}

/** Whether a record has not begun yet, by a clock that may be wrong. */
export function isYetToBegin({ start }: ThresholdReading, now: number): boolean {
  return start !== undefined && start > now;
}

/** A record that is not newer than the last one is a redelivery or backlog. A reason is no record: it always counts. */
function isIgnored(state: ThresholdState, reading: ThresholdReading, now: number): boolean {
  const { end, reason } = reading;
  if (reason !== undefined) return false;
  const isKnown = end !== undefined && state.end !== undefined && Math.min(end, now) <= state.end;
  return isKnown || isYetToBegin(reading, now);
}

function decide(
  state: ThresholdState,
  { value, start, end, reason }: ThresholdReading,
  moment: Moment,
  rule: ThresholdRule,
): ThresholdStep {
  const { now } = moment;
  if (isFailure({ reason })) return { state };
  if (reason !== undefined) return toUnsafe(state, reason, null);
  // A record in progress must not make later ones look old.
  const known = end === undefined ? state : { ...state, end: Math.min(end, now) };
  const time = end === undefined ? now : trueAt({ start, end }, now);
  if (rule.maxAge > 0 && now - time > rule.maxAge) return toUnsafe(known, "stale", value);
  if (value === null) return toUnsafe(known, "no-value", null);
  if (!isPlausible(value, rule)) return toUnsafe(known, "implausible", value);
  const isTimed = end !== undefined;
  const deadline = deadlineOf(time, moment, rule);
  return decideOnSafe({ ...known, unsafe: undefined, value, time, isTimed, deadline }, moment, rule);
}

/** The state already has the new value, and what the previous one was waiting for. */
function decideOnSafe(state: ThresholdState, moment: Moment, rule: ThresholdRule): ThresholdStep {
  const { value, time, isTimed, waiting } = state;
  const settled = { ...state, waiting: undefined };
  const edge = edgeOf(value, rule);
  if (edge === undefined || edge === state.side) return { state: settled };
  const recordTime = isTimed ? time : undefined;
  const since = waiting?.edge === edge ? waiting : { edge, since: recordTime, seen: moment.monotonic };
  const heldByClock = moment.monotonic - since.seen;
  const heldByRecords = recordTime === undefined || since.since === undefined ? 0 : recordTime - since.since;
  if (Math.max(heldByClock, heldByRecords) >= rule.hold) return toEdge(settled, edge, moment);
  return { state: { ...settled, waiting: since } };
}

function edgeOf(value: number | undefined, { high, low }: ThresholdRule): Edge | undefined {
  if (value === undefined) return undefined;
  if (value >= high) return "high";
  return value <= low ? "low" : undefined;
}

/** Applies the passing of time. */
export function stepByTime(state: ThresholdState, moment: Moment, rule: KnownRule): ThresholdStep {
  if (!rule) return toUnsafe(state, "failed", null);
  const silence = stepBySilence(state, moment, rule);
  if (silence.decision) return silence;
  if (holdLeft(state, moment, rule) <= 0 && state.waiting) return toEdge(state, state.waiting.edge, moment);
  if (repeatLeft(state, moment, rule) > 0) return { state };
  const { side, value = null } = state;
  const next = { ...state, sent: moment.monotonic };
  return side === undefined ? { state } : { state: next, decision: { edge: side, value, repeated: true } };
}

/** Only what makes a state unsafe: its value has become too old, or is not plausible under a rule that has changed. */
function stepBySilence(state: ThresholdState, moment: Moment, rule: ThresholdRule): ThresholdStep {
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

/** When a value that was true at a time becomes too old, by the monotonic clock. */
function deadlineOf(time: number, { now, monotonic }: Moment, { maxAge }: ThresholdRule): number | undefined {
  return maxAge > 0 ? monotonic + maxAge - (now - time) : undefined;
}

function isPlausible(value: number, { min, max }: ThresholdRule): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** The side is sent now. */
function toEdge(state: ThresholdState, edge: Edge, { monotonic }: Moment): ThresholdStep {
  const next = { ...state, side: edge, waiting: undefined, sent: monotonic };
  return { state: next, decision: { edge, value: state.value ?? null } };
}

/** Forgets the side, so that the first safe value beyond either limit is an edge. Reported once for each unsafe time. */
function toUnsafe(
  { unsafe, value: known, time, end }: ThresholdState,
  reason: NoValueReason,
  value: number | null,
): ThresholdStep {
  const state = { unsafe: reason, value: known, time, end };
  return unsafe === undefined ? { state, decision: { reason, value } } : { state };
}
