// Decides with two limits: an edge when a value rises to the upper or falls to the lower one, and when no decision is safe.
import { isFresh, type NoValueReason } from "./freshness";
import { MINUTE } from "../time-units";

export type Edge = "high" | "low";

export interface ThresholdRule {
  /** A value at or above it is high, one at or below `low` is low; between them the last state is kept. */
  high: number;
  low: number;
  /** Milliseconds that a value must stay beyond its limit. */
  hold: number;
  /** The maximum age of a value; 0 for any age. */
  maxAgeMinutes: number;
}

export interface ThresholdReading {
  /** Null where there is none; null is never 0. */
  value: number | null;
  /** When the record of the value ended, in milliseconds; undefined for a value of now. */
  end?: number | undefined;
  /** Why there is no value to act on, if the sender says so. */
  reason?: NoValueReason | undefined;
}

/** A value beyond a limit, and since when; times in milliseconds. */
interface Waiting {
  readonly edge: Edge;
  /** By the times of the records. */
  readonly since: number;
  /** By the clock. */
  readonly seen: number;
}

/** The state of a decision: plain data, all of which but `waiting` survives a restart. */
export interface ThresholdState {
  /** The last edge. */
  readonly side?: Edge | undefined;
  /** Why nothing can be decided; undefined while it can. */
  readonly unsafe?: NoValueReason | undefined;
  /** Of the last value that was decided on, in milliseconds. */
  readonly time?: number | undefined;
  /** When the newest record ended. */
  readonly end?: number | undefined;
  readonly waiting?: Waiting | undefined;
}

type Decision = { edge: Edge } | { reason: NoValueReason };

export interface ThresholdStep {
  state: ThresholdState;
  decision?: Decision;
}

export function stepByReading(
  state: ThresholdState,
  { value, end, reason }: ThresholdReading,
  now: number,
  rule: ThresholdRule,
): ThresholdStep {
  if (reason !== undefined) return unsafe(state, reason);
  const time = Math.min(end ?? now, now);
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  // A record that is delivered again, because nothing confirmed it, does not decide again.
  if (end !== undefined && state.end !== undefined && end < state.end) return { state };
  const known = { ...state, end: end ?? state.end };
  if (value === null) return unsafe(known, "no-value");
  const safe = { ...known, unsafe: undefined, time, waiting: undefined };
  const edge = edgeOf(value, rule);
  if (edge === undefined || edge === state.side) return { state: safe };
  const waiting = state.waiting?.edge === edge ? state.waiting : { edge, since: time, seen: now };
  return time - waiting.since >= rule.hold ? decided(safe, edge) : { state: { ...safe, waiting } };
}

/** What changes with time alone: a value stayed beyond its limit for long enough, or became too old. */
export function stepByTime(state: ThresholdState, now: number, rule: ThresholdRule): ThresholdStep {
  const { time, waiting } = state;
  if (state.unsafe || time === undefined) return { state };
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  return waiting && now - waiting.seen >= rule.hold ? decided(state, waiting.edge) : { state };
}

/** When time alone changes something, in milliseconds since the epoch; Infinity for never. */
export function nextChange({ unsafe, time, waiting }: ThresholdState, rule: ThresholdRule): number {
  if (unsafe || time === undefined) return Number.POSITIVE_INFINITY;
  const held = waiting ? waiting.seen + rule.hold : Number.POSITIVE_INFINITY;
  // A value of exactly the maximum age is still fresh.
  const old = rule.maxAgeMinutes > 0 ? time + rule.maxAgeMinutes * MINUTE + 1 : Number.POSITIVE_INFINITY;
  return Math.min(held, old);
}

/**
 * A stored state when the node starts: holding starts over, and the flow has a minute to send a value before the last one
 * counts as too old.
 */
export function restarted(state: ThresholdState, now: number, rule: ThresholdRule): ThresholdState {
  const { time } = state;
  const oldest = now - (rule.maxAgeMinutes - Math.min(rule.maxAgeMinutes, 1)) * MINUTE;
  return { ...state, waiting: undefined, time: time === undefined ? undefined : Math.max(time, oldest) };
}

function edgeOf(value: number, { high, low }: ThresholdRule): Edge | undefined {
  if (value >= high) return "high";
  return value <= low ? "low" : undefined;
}

function isOld(time: number, now: number, { maxAgeMinutes }: ThresholdRule): boolean {
  return maxAgeMinutes > 0 && !isFresh(time, now, maxAgeMinutes);
}

function decided(state: ThresholdState, edge: Edge): ThresholdStep {
  return { state: { ...state, side: edge, waiting: undefined }, decision: { edge } };
}

/** Reported once. The side is kept, so that only the other limit is an edge once values are back. */
function unsafe(state: ThresholdState, reason: NoValueReason): ThresholdStep {
  const next = { ...state, unsafe: reason, waiting: undefined };
  return state.unsafe ? { state: next } : { state: next, decision: { reason } };
}
