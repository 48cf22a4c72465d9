// Parses times to milliseconds since the epoch: ISO 8601, and what devices and alerts may have in its place.

/** Date, `T`, time to at least the minute, optional offset. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;
const OFFSET = /[+-]\d\d(?::?\d\d)?$/;
/** An offset without minutes, which `Date.parse` does not read. */
const HOURS = /[+-]\d\d$/;

/** Parses a time from a user or a flow, which needs an offset. Undefined if invalid. */
export function parseUserTime(text: unknown): number | undefined {
  return typeof text === "string" && hasOffset(text) ? parseServiceTime(text) : undefined;
}

/** Parses a time from the service; without an offset it is UTC. Undefined if invalid. */
export function parseServiceTime(text: unknown): number | undefined {
  if (typeof text !== "string" || !DATE_TIME.test(text)) return undefined;
  const day = text.slice(8, 10);
  // Date.parse reads 30 February as 2 March.
  if (day > "28" && new Date(text.slice(0, 10)).getUTCDate() !== Number(day)) return undefined;
  // Nearly all end with it, and need no further search.
  const time = Date.parse(text.endsWith("Z") ? text : withOffset(text));
  return Number.isNaN(time) ? undefined : time;
}

/** As `Date.parse` reads it. */
function withOffset(text: string): string {
  return hasOffset(text) ? text.replace(HOURS, "$&:00") : `${text}Z`;
}

/** Whether a time of the service says of which time zone it is. */
export function hasOffset(text: string): boolean {
  return text.endsWith("Z") || OFFSET.test(text);
}

/** Like `parseServiceTime`, for the times of one response: the end of a record is usually the start of the next. */
export function serviceTimeReader(): (text: unknown) => number | undefined {
  let last: unknown;
  let time: number | undefined;
  return (text) => {
    if (text !== last) time = parseServiceTime(text);
    last = text;
    return time;
  };
}

/** Numbers below are seconds: in milliseconds, this is a day of 1973. */
const MIN_MILLISECONDS = 1e11;
/** As in `DATE_TIME`, with a space for the `T`, or no time of day. */
const LENIENT = /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d[\d:.]*))? *(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Parses a time of a device or an alert, whose form the service does not specify: as ISO 8601 or nearly so, as in a header of HTTP,
 * or in seconds or milliseconds since 1970, also as text. Undefined if it is none of these.
 */
export function parseLenientTime(value: unknown): number | undefined {
  if (typeof value === "number") return Math.abs(value) < MIN_MILLISECONDS ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^\d{9,14}(?:\.\d+)?$/.test(text)) return parseLenientTime(Number(text));
  const [, date = "", time = "00:00", offset = "Z"] = LENIENT.exec(text) ?? [];
  const zone = offset.replace(/^[a-z]+$/i, "Z");
  if (date !== "") return parseServiceTime(`${date}T${time}${zone}`);
  const named = /^[A-Z].*\d\d:\d\d:\d\d (?:GMT|UTC)$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(named) ? undefined : named;
}
