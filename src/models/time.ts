// Parses ISO 8601 date-times to milliseconds since the epoch.

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

function parse(text: unknown, offsetMayBeMissing: boolean): number | undefined {
  if (typeof text !== "string") return undefined;
  const [, date = "", day = "", offset] = DATE_TIME.exec(text) ?? [];
  if (date === "" || (offset === undefined && !offsetMayBeMissing)) return undefined;
  // Date.parse reads 30 February as 2 March.
  if (day > "28" && new Date(date).getUTCDate() !== Number(day)) return undefined;
  const time = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}
