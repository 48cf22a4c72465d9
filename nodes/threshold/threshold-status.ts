// The status of a threshold node: the current side and the value, or why no decision is possible.
import type { ThresholdRule, ThresholdState } from "../../src/decisions/threshold";
import { clock, noValueStatus, type StatusText } from "../shared/runtime/status";

/** `age` is that of the value decided on, in milliseconds. */
export function thresholdStatus(
  { side, unsafe, waiting }: ThresholdState,
  rule: ThresholdRule,
  value: number | null,
  age: number,
): StatusText {
  if (unsafe) return noValueStatus(unsafe, age / 1000);
  const values = { value: value === null ? "" : Number(value.toPrecision(6)) };
  if (waiting) {
    const time = clock(waiting.seen + rule.hold);
    return { key: "threshold:holding", values: { ...values, time }, fill: "blue", shape: "ring" };
  }
  if (side === "high") return { key: "threshold:high", values };
  return side === "low"
    ? { key: "threshold:low", values }
    : { key: "threshold:between", values, shape: "ring" };
}
