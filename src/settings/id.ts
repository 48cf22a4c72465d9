// The rule for site and system ids.

const MAX_ID_LENGTH = 255;

/** Whether a value is a valid site or system id: 1 to 255 characters, no control characters. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_ID_LENGTH && /^\P{Cc}+$/u.test(value);
}
