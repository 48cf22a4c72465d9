// Shared by threshold decision tests: a rule, and the decisions on a list of events, as text.
import type { Moment } from "../../src/clock";
import {
  type Decision,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
  stepByReading,
  stepByTime,
} from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);
export const RULE: ThresholdRule = { high: 60, low: 20, hold: 0, maxAge: 15 * MINUTE, repeat: 0 };

/** The minute of the test, and the reading, or null if only time has passed. */
export type Event = [minute: number, reading: number | ThresholdReading | null];

/** A minute of the test by both clocks; `isSetBy` is how far the wall clock was set, in minutes. */
export function moment(minute: number, isSetBy = 0): Moment {
  const now = NOW + (minute + isSetBy) * MINUTE;
  const never = Number.NEGATIVE_INFINITY;
  return { now, monotonic: minute * MINUTE, isSure: true, knownSince: never, jumpedAt: never };
}

export const awaiting = (): ThresholdState => ({ arrival: moment(0) });

/** The decisions on a list of events, as `minute edge` or `minute reason`. */
export function decisions(
  events: Event[],
  rule: Partial<ThresholdRule> = {},
  start = awaiting(),
  isSetBy: (minute: number) => number = () => 0,
): string[] {
  const whole = { ...RULE, ...rule };
  let state = start;
  return events.flatMap(([minute, event]) => {
    const at = moment(minute, isSetBy(minute));
    const reading = typeof event === "number" ? { value: event } : event;
    const step = reading ? stepByReading(state, reading, at, whole) : stepByTime(state, at, whole);
    ({ state } = step);
    const made = [step.overdue, step.decision].filter((decision) => decision !== undefined);
    return made.map((decision) => `${minute} ${nameOf(decision)}`);
  });
}

function nameOf(decision: Decision): string {
  if (decision.reason) return decision.reason;
  return decision.repeated ? `${decision.edge} again` : decision.edge;
}

/** A record of five minutes that ended in the given minute of the test. */
export const record = (value: number | null, minute: number): ThresholdReading => ({
  value,
  start: NOW + (minute - 5) * MINUTE,
  end: NOW + minute * MINUTE,
});
