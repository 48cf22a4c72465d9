// What tests of a decision with two limits share: a rule, and the decisions on events, as text.
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

/** Minute of the test, and the reading or null for time alone. */
export type Event = [minute: number, reading: number | ThresholdReading | null];

/** The decisions on the events, as `minute edge` or `minute reason`. */
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

/** A record that ended in that minute of the test. */
export const record = (value: number | null, minute: number): ThresholdReading => ({
  value,
  end: NOW + minute * MINUTE,
});
