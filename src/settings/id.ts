// The rule for ids of sites and systems.

const LONGEST_ID = 255;

/** Whether a value can be the id of a site or system: 1 to 255 characters, none of them a control character. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_ID && /^\P{Cc}+$/u.test(value);
}
