// How a threshold decides on a message: an edge for the first safe value beyond a limit, unsafe for one that is not safe.
import type { Moment } from "../clock";
import { trueAt } from "./freshness";
import {
  deadlineOf,
  type Edge,
  isPlausible,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
  type ThresholdStep,
  toEdge,
  toUnsafe,
} from "./threshold";
import { stepBySilence } from "./threshold-time";

/** Applies a reading. The state is the same object if the reading decides nothing. */
export function stepByReading(
  state: ThresholdState,
  reading: ThresholdReading,
  moment: Moment,
  rule: ThresholdRule,
): ThresholdStep {
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
