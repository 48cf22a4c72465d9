// Shared by threshold decision tests: a rule, and the decisions on a list of events, as text.
import {
  stepByReading,
  stepByTime,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
} from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);
export const RULE: ThresholdRule = { high: 60, low: 20, hold: 0, maxAgeMinutes: 15 };

/** The minute of the test, and the reading, or null if only time has passed. */
export type Event = [minute: number, reading: number | ThresholdReading | null];

/** The decisions on a list of events, as `minute edge` or `minute reason`. */
export function decisions(
  events: Event[],
  rule: Partial<ThresholdRule> = {},
  start: ThresholdState = {},
): string[] {
  const made: string[] = [];
  let state = start;
  for (const [minute, event] of events) {
    const now = NOW + minute * MINUTE;
    const whole = { ...RULE, ...rule };
    const reading = typeof event === "number" ? { value: event } : event;
    const step = reading ? stepByReading(state, reading, now, whole) : stepByTime(state, now, whole);
    ({ state } = step);
    if (step.decision) made.push(`${minute} ${Object.values(step.decision).join("")}`);
  }
  return made;
}

/** A record that ended in the given minute of the test. */
export const record = (value: number | null, minute: number): ThresholdReading => ({
  value,
  end: NOW + minute * MINUTE,
});
