// How a threshold decides: high, low or unsafe, by the readings of messages and by the passing of time.
import type { Moment } from "../clock";
import { number, oneOf, optional, type Shaped } from "../models/shape";
import { isAhead } from "../time-units";
import { isNoValueReason, LEAST_VALID, type NoValueReason, trueAt } from "./freshness";

const NEVER = Number.POSITIVE_INFINITY;

/** Which limit a value has reached. */
export type Edge = "high" | "low";

/** In between the limits, the side is kept. Durations in milliseconds. */
export interface ThresholdRule extends Limits {
  /** How long a value must stay beyond a limit. */
  readonly hold: number;
  /** Maximum age of a value; 0 = any age, undefined = as its message says. */
  readonly maxAge: number | undefined;
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
  /** Until when the sender says that it may be acted on. */
  readonly validUntil?: number | undefined;
  /** When the value's record began; undefined if unknown. */
  readonly start?: number | undefined;
  /** When it ended; undefined for a value without times, which is as old as its arrival. */
  readonly end?: number | undefined;
  /** Why the value is not safe, if that is known. */
  readonly reason?: NoValueReason | undefined;
  /** When the record ended that has no value, if the sender says so. */
  readonly about?: number | undefined;
  /** There is a record where a number is expected: the node has to choose one of its values. */
  readonly isRecord?: boolean;
}

/** A change that must hold before it counts. */
interface Waiting {
  readonly edge: Edge;
  /** When the value crossed the limit, by the time of its record; undefined for a value without times. */
  readonly since: number | undefined;
  /** The same by the monotonic clock. */
  readonly seen: number;
}

const LIMITS = { high: number, low: number };

/** A value at or above `high` is high, one at or below `low` is low. */
export type Limits = Shaped<typeof LIMITS>;

/** What survives a restart. Times in milliseconds since the epoch. */
export const STORED = {
  /** The last edge sent; undefined if there was none since the last unsafe time. */
  side: optional(oneOf(["high", "low"])),
  /** Why it is not safe to decide; undefined while it is. */
  unsafe: optional(isNoValueReason),
  /** The last safe value. */
  value: optional(number),
  /** When that value was true; undefined if no one knows. */
  time: optional(number),
  /** Until when its message allows to act on it. */
  validUntil: optional(number),
  /** The limits by which the side was decided. */
  limits: optional(LIMITS),
  /** End of the newest record decided on, safe or not. */
  end: optional(number),
};

export type StoredThreshold = Shaped<typeof STORED>;

/** Plain data. A state without value or reason waits for its first value: unsafe once none has come for the maximum age. */
export interface ThresholdState extends StoredThreshold {
  /** Whether `time` was read from a record or a store, so that the value also ages by the wall clock. */
  readonly isTimed?: boolean | undefined;
  /** When the value came, or the wait for the first one began; undefined while it is unsafe. */
  readonly arrival?: Pick<Moment, "now" | "monotonic"> | undefined;
  readonly waiting?: Waiting | undefined;
  /** When the side was last sent, by the monotonic clock. */
  readonly sent?: number | undefined;
}

/** What to send. */
export type Decision = {
  /** The value decided on; with a reason, the one that is too old or implausible. Null if there is none. */
  readonly value: number | null;
} & (
  | {
      readonly edge: Edge;
      /** The side has not changed: it is sent again, as set under Repeat every. */
      readonly repeated?: true;
      readonly reason?: never;
    }
  | { readonly reason: NoValueReason; readonly edge?: never; readonly repeated?: never }
);

export interface ThresholdStep {
  readonly state: ThresholdState;
  /** The previous value had become too old before the message arrived, and this was not reported yet: to be sent first. */
  readonly overdue?: Decision | undefined;
  readonly decision?: Decision | undefined;
}

/** Absent if the settings are not valid: then nothing is safe to act on. */
export type KnownRule = ThresholdRule | undefined;

/**
 * The state after a restart. Hold times start over. The age of a value whose stored time is in the future is unknown, because
 * the clock was wrong then or is wrong now: the value is too old. Under new limits the value is judged again: between them, its
 * side is unknown.
 */
export function afterRestart(stored: StoredThreshold, moment: Moment, rule: KnownRule): ThresholdState {
  const { side, unsafe, value, time, validUntil, limits } = stored;
  if (unsafe !== undefined || !rule) return stored;
  const { now } = moment;
  // By how much the clock was set back: the value is valid for as long as before.
  const ahead = Math.max(0, (time ?? now) - now);
  const times = { time: time && time - ahead, validUntil: validUntil && validUntil - ahead };
  const arrival = { now, monotonic: isAhead(time ?? now, now) ? Number.NEGATIVE_INFINITY : moment.monotonic };
  const state = { ...stored, ...times, limits: { high: rule.high, low: rule.low }, isTimed: true, arrival };
  const isSame = limits?.high === rule.high && limits.low === rule.low;
  const kept = isSame ? side : undefined;
  const edge = edgeOf(value, rule) ?? kept;
  if (edge === side) return { ...state, sent: side && moment.monotonic };
  const waiting = edge && { edge, since: undefined, seen: moment.monotonic };
  return { ...state, side: kept, sent: kept && moment.monotonic, waiting };
}

/** Applies a reading, which needs a rule. The state is the same object if the reading decides nothing. */
export function stepByReading(
  state: ThresholdState,
  reading: ThresholdReading | undefined,
  moment: Moment,
  rule: KnownRule,
): ThresholdStep {
  if (!rule || !reading) return toUnsafe(state, "failed", null);
  if (isIgnored(state, reading, moment)) return { state };
  const before = stepBySilence(state, moment, rule);
  return { ...decide(before.state, reading, moment, rule), overdue: before.decision };
}

/** A read that says nothing about the site. */
export function isFailedRead({ reason }: Pick<ThresholdReading, "reason">): boolean {
  return reason === "failed" || reason === "no-record";
}

/** Whether a record has not begun yet, by a clock that may be wrong. */
export function isYetToBegin({ start }: ThresholdReading, now: number): boolean {
  return start !== undefined && start > now;
}

/**
 * A record that is not newer than the last one is a redelivery or backlog, that an older one has no value says nothing about it, and
 * while no one knows what time it is, no record is fresh.
 */
function isIgnored(state: ThresholdState, reading: ThresholdReading, { now, isSure }: Moment): boolean {
  const { end, about = Number.POSITIVE_INFINITY } = reading;
  const known = state.end === undefined || isAhead(state.end, now) ? Number.NEGATIVE_INFINITY : state.end;
  if (end === undefined) return about < known;
  return Math.min(end, now) <= known || !isSure || isYetToBegin(reading, now);
}

function decide(
  state: ThresholdState,
  { value, start, end, validUntil, reason }: ThresholdReading,
  moment: Moment,
  rule: ThresholdRule,
): ThresholdStep {
  const { now } = moment;
  // A record in progress must not make later ones look old.
  const known = end === undefined ? state : { ...state, end: Math.min(end, now) };
  const time = end === undefined ? now : trueAt({ start, end }, now);
  if (reason === "stale" || now > validity({ time, validUntil }, rule))
    return toUnsafe(known, "stale", value);
  if (reason === "implausible" || (value !== null && !isWithinBounds(value, rule)))
    return toUnsafe(known, "implausible", value);
  // What is still valid does not become wrong by a value that is missing: only time makes it unsafe.
  if (reason !== undefined || value === null) return { state: known };
  const safe = { value, time, validUntil, isTimed: end !== undefined, arrival: moment };
  const limits = { high: rule.high, low: rule.low };
  return decideOnSafe({ ...known, ...safe, limits, unsafe: undefined }, moment, rule);
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

export function edgeOf(value: number | undefined, { high, low }: Limits): Edge | undefined {
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
  const { side, value = null } = state;
  if (!side || repeatLeft(state, moment, rule) > 0) return { state };
  const next = { ...state, sent: moment.monotonic };
  return { state: next, decision: { edge: side, value, repeated: true } };
}

/** Only what makes a state unsafe: its value has become too old, or is not plausible under a rule that has changed. */
function stepBySilence(state: ThresholdState, moment: Moment, rule: ThresholdRule): ThresholdStep {
  const { unsafe, value } = state;
  if (unsafe !== undefined) return { state };
  if (freshnessLeft(state, moment, rule) < 0) {
    // What ran out by the jump of a clock alone may be of any age.
    const known =
      moment.now > validity(state, rule) ? state : { ...state, time: undefined, validUntil: undefined };
    // No one knew the time: if its record comes again, and is valid after all, it counts.
    const isDoubtful = !moment.isSure || (state.arrival && state.arrival.monotonic <= moment.knownSince);
    const end = isDoubtful ? state.end && state.end - 1 : state.end;
    return toUnsafe({ ...known, end }, "stale", value ?? null);
  }
  if (value !== undefined && !isWithinBounds(value, rule)) return toUnsafe(state, "implausible", value);
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
 * that is set back makes nothing fresh. The time of a record counts by the wall clock, too; while that is not sure, and once it has
 * jumped, so does the time at which any other value came, because the machine may have slept.
 */
function freshnessLeft(state: ThresholdState, moment: Moment, rule: ThresholdRule): number {
  const { isTimed, time, arrival } = state;
  const { now, monotonic, isSure, knownSince, jumpedAt } = moment;
  if (!arrival || rule.maxAge === 0) return NEVER;
  if (arrival.monotonic < knownSince) return -1;
  const until = validity({ ...state, time: time ?? arrival.now }, rule);
  const left = until - arrival.now + arrival.monotonic - monotonic;
  const isByWall = isTimed || !isSure || arrival.monotonic < jumpedAt;
  return time !== undefined && isByWall ? Math.min(left, until - now) : left;
}

function holdLeft({ waiting }: ThresholdState, moment: Moment, { hold }: ThresholdRule): number {
  return waiting === undefined || !moment.isSure ? NEVER : waiting.seen + hold - moment.monotonic;
}

function repeatLeft({ sent }: ThresholdState, moment: Moment, { repeat }: ThresholdRule): number {
  const isRepeated = repeat > 0 && sent !== undefined && moment.isSure;
  return isRepeated ? sent + repeat - moment.monotonic : NEVER;
}

/** Until when a value may be acted on. */
function validity({ time, validUntil }: StoredThreshold, { maxAge }: ThresholdRule): number {
  if (maxAge === 0 || time === undefined) return NEVER;
  return maxAge === undefined ? (validUntil ?? time + LEAST_VALID) : time + maxAge;
}

function isWithinBounds(value: number, { min, max }: ThresholdRule): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** The side is sent now. */
function toEdge(state: ThresholdState, edge: Edge, { monotonic }: Moment): ThresholdStep {
  const next = { ...state, side: edge, waiting: undefined, sent: monotonic };
  return { state: next, decision: { edge, value: state.value ?? null } };
}

/** Forgets the side, so that the first safe value beyond either limit is an edge. Reported once for each unsafe time. */
function toUnsafe(
  { unsafe, value: known, time, validUntil, limits, end }: ThresholdState,
  reason: NoValueReason,
  value: number | null,
): ThresholdStep {
  const state = { unsafe: reason, value: known, time, validUntil, limits, end };
  return unsafe === undefined ? { state, decision: { reason, value } } : { state };
}
