// Parses times to milliseconds since the epoch: ISO 8601, and what devices and alerts may have in its place.
import { MINUTE } from "../time-units";

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

/** Of `2026-05-01T10`. */
const HOUR_LENGTH = 13;
/** The milliseconds of each minute, by what follows its hour in a time in UTC: `:05:00Z`, `:05:00.000Z`. */
const MINUTES = new Map<string, number>();
for (let minute = 0; minute < 60; minute += 1)
  for (const seconds of ["00", "00.000"])
    MINUTES.set(`:${String(minute).padStart(2, "0")}:${seconds}Z`, minute * MINUTE);

/** Like `parseServiceTime`, for the times of one response: the end of a record is usually the start of the next, in the same hour. */
export function serviceTimeReader(): (text: unknown) => number | undefined {
  let last: unknown;
  let time: number | undefined;
  let hour = { text: "-", start: 0 };
  return (text) => {
    if (text === last) return time;
    last = text;
    const minutes = typeof text === "string" ? MINUTES.get(text.slice(HOUR_LENGTH)) : undefined;
    if (typeof text !== "string" || minutes === undefined) return (time = parseServiceTime(text));
    if (text.startsWith(hour.text)) return (time = hour.start + minutes);
    time = parseServiceTime(text);
    // After 24:00 there is no 24:05.
    if (time !== undefined && minutes > 0) hour = { text: text.slice(0, HOUR_LENGTH), start: time - minutes };
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
