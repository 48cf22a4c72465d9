// Decides by two limits: an edge when a value rises to the upper or falls to the lower one, and when no decision is safe.
import { isFresh, type NoValueReason } from "./freshness";
import { MINUTE } from "../time-units";

export type Edge = "high" | "low";

export interface ThresholdRule {
  /** From here on up a value is high, up to `low` it is low; between them the last edge stands. */
  high: number;
  low: number;
  /** Milliseconds that a value must stay beyond its limit. */
  hold: number;
  /** How old a value may be; 0 = any age. */
  maxAgeMinutes: number;
}

export interface ThresholdReading {
  /** Null: there is none. It is never 0. */
  value: number | null;
  /** When the record of the value ended, in milliseconds; undefined: the value is of now. */
  end?: number | undefined;
  /** Why there is no value to act on, where the sender knows. */
  reason?: NoValueReason | undefined;
}

/** A value that is beyond a limit, and for how long; all in milliseconds. */
interface Waiting {
  readonly edge: Edge;
  /** By the times of the records. */
  readonly since: number;
  /** By the clock. */
  readonly seen: number;
}

/** Where a decision stands: plain data, of which all but `waiting` outlives a restart. */
export interface ThresholdState {
  /** The last edge. */
  readonly side?: Edge | undefined;
  /** Why nothing can be decided; undefined while it can. */
  readonly unsafe?: NoValueReason | undefined;
  /** Of the last value that was decided by, in milliseconds. */
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

export function takeReading(
  state: ThresholdState,
  { value, end, reason }: ThresholdReading,
  now: number,
  rule: ThresholdRule,
): ThresholdStep {
  if (reason !== undefined) return unsafe(state, reason);
  const time = Math.min(end ?? now, now);
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  // What is delivered again, because nobody has confirmed it, decides nothing anew.
  if (end !== undefined && state.end !== undefined && end < state.end) return { state };
  const known = { ...state, end: end ?? state.end };
  if (value === null) return unsafe(known, "no-value");
  const safe = { ...known, unsafe: undefined, time, waiting: undefined };
  const edge = edgeOf(value, rule);
  if (edge === undefined || edge === state.side) return { state: safe };
  const waiting = state.waiting?.edge === edge ? state.waiting : { edge, since: time, seen: now };
  return time - waiting.since >= rule.hold ? decided(safe, edge) : { state: { ...safe, waiting } };
}

/** What time alone brings: a value that has stayed beyond its limit, or that has become too old. */
export function takeTime(state: ThresholdState, now: number, rule: ThresholdRule): ThresholdStep {
  const { time, waiting } = state;
  if (state.unsafe || time === undefined) return { state };
  if (isOld(time, now, rule)) return unsafe(state, "stale");
  return waiting && now - waiting.seen >= rule.hold ? decided(state, waiting.edge) : { state };
}

/** When time alone brings something, in milliseconds since the epoch; Infinity = never. */
export function nextChange({ unsafe, time, waiting }: ThresholdState, rule: ThresholdRule): number {
  if (unsafe || time === undefined) return Number.POSITIVE_INFINITY;
  const held = waiting ? waiting.seen + rule.hold : Number.POSITIVE_INFINITY;
  // At its greatest age a value is still fresh.
  const old = rule.maxAgeMinutes > 0 ? time + rule.maxAgeMinutes * MINUTE + 1 : Number.POSITIVE_INFINITY;
  return Math.min(held, old);
}

/**
 * A stored state, as the node starts: holding begins anew, and the flow has a minute to bring a value before the last one
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

/** It is told once; the side is kept, so that only the other limit brings an edge when values are back. */
function unsafe(state: ThresholdState, reason: NoValueReason): ThresholdStep {
  const next = { ...state, unsafe: reason, waiting: undefined };
  return state.unsafe ? { state: next } : { state: next, decision: { reason } };
}
