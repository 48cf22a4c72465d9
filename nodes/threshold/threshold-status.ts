// What a threshold node shows below itself: the last edge and the value, or why nothing can be decided.
import type { ThresholdRule, ThresholdState } from "../../src/decisions/threshold";
import { clock, noValueStatus, type StatusText } from "../shared/runtime/status";

/** `age` in milliseconds, of what was decided by. */
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
    return { key: "holding", values: { ...values, time }, fill: "blue", shape: "ring" };
  }
  if (side === "high") return { key: "high", values };
  return side === "low" ? { key: "low", values } : { key: "between", values, shape: "ring" };
}
