// Parses ISO 8601 date-times to milliseconds since the epoch, fast enough for every record of a response.
import { MINUTE } from "../time-units";

/** Date, `T`, time to at least the minute, optional offset. Groups: date, day, offset. */
const DATE_TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Parses a time from a user or a flow, which needs an offset. Undefined if invalid. */
export function parseUserTime(text: unknown): number | undefined {
  return parse(text, false);
}

/** Parses a time from the service; without an offset it is UTC. Undefined if invalid. */
export function parseServiceTime(text: unknown): number | undefined {
  return parse(text, true);
}

/** Date and `T`, before the hours and minutes, and what follows them. */
const HOURS_AT = "2026-06-10T".length;
const REST_AT = "2026-06-10T10:05".length;

/**
 * Like `parseServiceTime`, for the times of one response: the end of a record is usually the start of the next, and of most only
 * the hours and minutes differ from the last one.
 */
export function serviceTimeReader(): (text: unknown) => number | undefined {
  let lastText: unknown;
  let lastTime: number | undefined;
  /** Date and rest of a valid time, and midnight of its day; no rest if there is none yet. */
  let date = "";
  let rest = "";
  let midnight = 0;
  return (text) => {
    if (text === lastText) return lastTime;
    lastText = text;
    const known = typeof text === "string" && rest !== "" ? minutesIn(text, date, rest) : undefined;
    if (known !== undefined) return (lastTime = midnight + known * MINUTE);
    lastTime = parse(text, true);
    if (typeof text !== "string" || lastTime === undefined) return lastTime;
    date = text.slice(0, HOURS_AT);
    rest = text.slice(REST_AT);
    const minutes = minutesIn(text, date, rest);
    // 24:00 belongs to the next day.
    if (minutes === undefined) rest = "";
    else midnight = lastTime - minutes * MINUTE;
    return lastTime;
  };
}

/** The hours and minutes of a time, in minutes; undefined if it has another date, other seconds or another notation. */
function minutesIn(text: string, date: string, rest: string): number | undefined {
  const isSame = text.length === REST_AT + rest.length && text.startsWith(date) && text.endsWith(rest);
  if (!isSame || text[HOURS_AT + 2] !== ":") return undefined;
  const hours = twoDigits(text, HOURS_AT);
  const minutes = twoDigits(text, HOURS_AT + 3);
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : undefined;
}

/** NaN for anything else. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function parse(text: unknown, offsetMayBeMissing: boolean): number | undefined {
  if (typeof text !== "string") return undefined;
  const [, date = "", day = "", offset] = DATE_TIME.exec(text) ?? [];
  if (date === "" || (offset === undefined && !offsetMayBeMissing)) return undefined;
  // Date.parse reads 30 February as 2 March.
  if (day > "28" && new Date(date).getUTCDate() !== Number(day)) return undefined;
  const time = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}
