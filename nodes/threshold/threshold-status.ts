// The status of a threshold node: the current side and what it waits for, or why no decision is possible.
import type { Moment } from "../../src/clock";
import { LEAST_VALID } from "../../src/decisions/freshness";
import type { ThresholdReading, ThresholdRule, ThresholdState } from "../../src/decisions/threshold";
import { shownNumber } from "../../src/models/measurements";
import { noValueStatus, type StatusText, timeOfDay, warningStatus } from "../shared/runtime/base/status";

/** The edge that a hold time delays, by the side that it ends. */
const DELAYED = {
  high: { high: "threshold:high.waiting", low: "threshold:high.lowAt" },
  low: { high: "threshold:low.highAt", low: "threshold:low.waiting" },
  between: { high: "threshold:between.highAt", low: "threshold:between.lowAt" },
} as const;

/** `reading` is what the last message said; undefined if time alone has passed. */
export function thresholdStatus(
  state: ThresholdState,
  rule: ThresholdRule,
  { now, monotonic }: Moment,
  reading?: ThresholdReading,
): StatusText {
  const { side = "between", value, waiting, unsafe } = state;
  const hasNoValue = reading !== undefined && (reading.reason !== undefined || reading.value === null);
  const time = hasNoValue ? state.time : (reading?.end ?? state.time);
  if (unsafe === "stale" && value !== undefined && time === undefined) return warningStatus("timeUnsure");
  // A node that never had a value has waited for it at least that long.
  const age = time === undefined ? (rule.maxAge ?? LEAST_VALID) : Math.max(0, now - time);
  if (reading?.isRecord && value === undefined) return { key: "threshold:record", fill: "yellow" };
  if (unsafe) return noValueStatus(unsafe, age / 1000);
  if (value === undefined && state.side === undefined) return noValueStatus(reading?.reason ?? "no-value");
  if (waiting) {
    const at = timeOfDay(now + waiting.seen + rule.hold - monotonic);
    return { key: DELAYED[side][waiting.edge], values: { time: at }, fill: "blue", shape: "ring" };
  }
  return {
    key: `threshold:${side}.waiting`,
    values: { high: shownNumber(rule.high), low: shownNumber(rule.low) },
    // What it knows is still valid.
    fill: hasNoValue ? "yellow" : "green",
    shape: side === "between" ? "ring" : "dot",
  };
}
