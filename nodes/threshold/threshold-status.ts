// The status of a threshold node: the current side and what it waits for, or why no decision is possible.
import type { Moment } from "../../src/clock";
import type { ThresholdReading, ThresholdRule, ThresholdState } from "../../src/decisions/threshold";
import { shownNumber } from "../../src/models/measurements";
import { MINUTE } from "../../src/time-units";
import { clock, noValueStatus, type StatusText } from "../shared/runtime/base/status";

/** By side: what it waits for, the same with the age of the value, and the edge that a hold time delays. */
const KEYS = {
  high: {
    waiting: "threshold:high.waiting",
    old: "threshold:high.old",
    delayed: { high: "threshold:high.waiting", low: "threshold:high.lowAt" },
  },
  low: {
    waiting: "threshold:low.waiting",
    old: "threshold:low.old",
    delayed: { high: "threshold:low.highAt", low: "threshold:low.waiting" },
  },
  between: {
    waiting: "threshold:between.waiting",
    old: "threshold:between.old",
    delayed: { high: "threshold:between.highAt", low: "threshold:between.lowAt" },
  },
} as const;

/** `reading` is what the last message said; undefined if time alone has passed. */
export function thresholdStatus(
  state: ThresholdState,
  rule: ThresholdRule,
  { now, monotonic }: Moment,
  reading?: ThresholdReading,
): StatusText {
  const { side = "between", value, waiting, unsafe } = state;
  const time = reading?.end ?? state.time;
  // A node that never had a value has waited for it at least that long.
  const age = time === undefined ? rule.maxAge : Math.max(0, now - time);
  if (unsafe) return noValueStatus(unsafe, age / 1000);
  if (value === undefined && state.side === undefined) return noValueStatus(reading?.reason ?? "no-value");
  if (waiting) {
    const at = clock(now + waiting.seen + rule.hold - monotonic);
    return { key: KEYS[side].delayed[waiting.edge], values: { time: at }, fill: "blue", shape: "ring" };
  }
  const [high, low] = [shownNumber(rule.high), shownNumber(rule.low)];
  if (reading?.reason) {
    const values = { high, low, minutes: Math.round(age / MINUTE) };
    return { key: KEYS[side].old, values, fill: "yellow" };
  }
  const shape = side === "between" ? "ring" : "dot";
  return { key: KEYS[side].waiting, values: { high, low }, shape };
}
