// The rule for site and system ids.

const LONGEST_ID = 255;

/** Whether a value is a valid site or system id: 1 to 255 characters, no control characters. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_ID && /^\P{Cc}+$/u.test(value);
}
