// The number that a value stands for: a finite number, or text that is wholly a decimal number.

/** Digits can match in one way only, so that a long text takes no longer than its length. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Null for everything else, such as `null`, `true`, "", "57 %", "1,5", "0x10" and "Infinity". */
export function decimalOf(value: unknown): number | null {
  const isNumber = typeof value === "number" || (typeof value === "string" && DECIMAL.test(value.trim()));
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : null;
}
