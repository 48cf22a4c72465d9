// Checks the two limits of a threshold: both are numbers, and the lower one is below the upper one.
import { currentValue } from "../shared/editor/fields";

/** A limit that must be above the other one. */
export function above(other: string): EditorValidator {
  return limit(other, (value, otherValue) => value > otherValue);
}

/** A limit that must be below the other one. */
export function below(other: string): EditorValidator {
  return limit(other, (value, otherValue) => value < otherValue);
}

function limit(other: string, isInOrder: (value: number, otherValue: number) => boolean): EditorValidator {
  return function (value, options) {
    const own = numberOf(value);
    if (Number.isNaN(own)) return text("validator.limit", { label: options?.label ?? "" });
    const otherValue = numberOf(currentValue(this, other));
    // The value of a variable is known only at runtime.
    return Number.isNaN(otherValue) || isInOrder(own, otherValue) || text("validator.order");
  };
}

/** The flow file may hold a number as text. */
function numberOf(value: unknown): number {
  const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : Number.NaN;
}

function text(key: string, values?: Record<string, string>): string {
  return RED._(`@energy-sites/node-red/threshold:${key}`, values);
}
