// Decides by two limits when a value turns high or low, and when it is not safe to decide.
import { isFresh, type NoValueReason } from "./freshness";
import { MINUTE } from "../time-units";

/** Which limit a value has reached. */
export type Edge = "high" | "low";

export interface ThresholdRule {
  /** A value at or above `high` is high, one at or below `low` is low; in between, the last state is kept. */
  high: number;
  low: number;
  /** Milliseconds that a value must stay beyond a limit. */
  hold: number;
  /** Maximum age of a value; 0 = any age. */
  maxAgeMinutes: number;
}

export interface ThresholdReading {
  /** Null if there is none, which is not the same as 0. */
  value: number | null;
  /** When the value's record began, in milliseconds; undefined if unknown. */
  start?: number | undefined;
  /** When it ended, in milliseconds; undefined for a current value. */
  end?: number | undefined;
  /** Why there is no value to act on, if the sender knows. */
  reason?: NoValueReason | undefined;
}

/** A change that must hold before it counts. Times in milliseconds. */
interface Waiting {
  readonly edge: Edge;
  /** When the value crossed the limit, by the time of its record. */
  readonly since: number;
  /** The same by the clock. */
  readonly seen: number;
}

/** Plain data; everything but `waiting` survives a restart. */
export interface ThresholdState {
  /** The last edge sent. */
  readonly side?: Edge | undefined;
  /** Why it is not safe to decide; undefined while it is. */
  readonly unsafe?: NoValueReason | undefined;
  /** Time of the last value decided on, in milliseconds. */
  readonly time?: number | undefined;
  /** End of the newest record, in milliseconds. */
  readonly end?: number | undefined;
  readonly waiting?: Waiting | undefined;
}

type Decision = { edge: Edge } | { reason: NoValueReason };

/** The new state, with a decision if there is one to send. */
export interface ThresholdStep {
  state: ThresholdState;
  decision?: Decision;
}

/** Applies a new value. */
export function stepByReading(
  state: ThresholdState,
  { value, start = Number.NEGATIVE_INFINITY, end, reason }: ThresholdReading,
  now: number,
  rule: ThresholdRule,
): ThresholdStep {
  // It is not there yet.
  if (start > now) return { state };
  if (reason !== undefined) return unsafe(state, reason);
  const time = Math.min(end ?? now, now);
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  // An older record is a redelivery or backlog, and decides nothing.
  if (end !== undefined && state.end !== undefined && end < state.end) return { state };
  // A record in progress must not make later ones look old.
  const known = { ...state, end: end === undefined ? state.end : time };
  if (value === null) return unsafe(known, "no-value");
  const safe = { ...known, unsafe: undefined, time, waiting: undefined };
  const edge = edgeOf(value, rule);
  if (edge === undefined || edge === state.side) return { state: safe };
  const waiting = state.waiting?.edge === edge ? state.waiting : { edge, since: time, seen: now };
  return time - waiting.since >= rule.hold ? decided(safe, edge) : { state: { ...safe, waiting } };
}

/** Applies the passing of time: a value has stayed beyond its limit long enough, or has become too old. */
export function stepByTime(state: ThresholdState, now: number, rule: ThresholdRule): ThresholdStep {
  const { time, waiting } = state;
  if (state.unsafe || time === undefined) return { state };
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  return waiting && now - waiting.seen >= rule.hold ? decided(state, waiting.edge) : { state };
}

/** When to call `stepByTime`, in milliseconds since the epoch; Infinity = never. */
export function nextChange({ unsafe, time, waiting }: ThresholdState, rule: ThresholdRule): number {
  if (unsafe || time === undefined) return Number.POSITIVE_INFINITY;
  const held = waiting ? waiting.seen + rule.hold : Number.POSITIVE_INFINITY;
  // A value of exactly the maximum age is still fresh.
  const old = rule.maxAgeMinutes > 0 ? time + rule.maxAgeMinutes * MINUTE + 1 : Number.POSITIVE_INFINITY;
  return Math.min(held, old);
}

/**
 * The stored state when the node starts: hold times start over, and the flow has a minute to send a value before the last
 * one counts as too old.
 */
export function afterRestart(state: ThresholdState, now: number, rule: ThresholdRule): ThresholdState {
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

/** Reported once. The side is kept, so that only crossing the other limit is an edge once values return. */
function unsafe(state: ThresholdState, reason: NoValueReason): ThresholdStep {
  const next = { ...state, unsafe: reason, waiting: undefined };
  return state.unsafe ? { state: next } : { state: next, decision: { reason } };
}
