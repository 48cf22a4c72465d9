// Parses ISO 8601 date-times to milliseconds since the epoch, fast enough for every record of a response.

/** Date, `T`, time to at least the minute, optional offset. Groups: month, day, offset. */
const DATE_TIME = /^\d{4}-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

const SHORT_MONTHS = new Set(["04", "06", "09", "11"]);

/** Parses a time from a user or a flow, which needs an offset. Undefined if invalid. */
export function parseUserTime(text: unknown): number | undefined {
  return parse(text, false);
}

/** Parses a time from the service; without an offset it is UTC. Undefined if invalid. */
export function parseServiceTime(text: unknown): number | undefined {
  return parse(text, true);
}

/** Like `parseServiceTime`, with the last result cached: the end of a record is usually the start of the next. */
export function serviceTimeReader(): (text: unknown) => number | undefined {
  let lastText: unknown;
  let lastTime: number | undefined;
  return (text) => {
    if (text !== lastText) {
      lastTime = parse(text, true);
      lastText = text;
    }
    return lastTime;
  };
}

function parse(text: unknown, offsetMayBeMissing: boolean): number | undefined {
  if (typeof text !== "string") return undefined;
  const parts = DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [, month = "", day = "", offset] = parts;
  if (offset === undefined && !offsetMayBeMissing) return undefined;
  if (day > "28" && !dayExists(text.slice(0, 4), month, day)) return undefined;
  const time = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** Needed because Date.parse reads 30 February as 1 March. */
function dayExists(year: string, month: string, day: string): boolean {
  if (month === "02") return day === "29" && new Date(Date.UTC(Number(year), 1, 29)).getUTCDate() === 29;
  return day < "31" || !SHORT_MONTHS.has(month);
}
