// Reads ISO 8601 date-times into milliseconds since 1970, fast enough for every record of an answer.

/** Date, `T`, time to at least the minute, and an offset or none. Groups: month, day, offset. */
const DATE_TIME = /^\d{4}-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

const SHORT_MONTHS = new Set(["04", "06", "09", "11"]);

/** A time that a person or a flow gave: it needs an offset, because nothing says which zone was meant. */
export function parseUserTime(text: unknown): number | undefined {
  return parse(text, false);
}

/** A time in an answer of the service. One without an offset is taken as UTC. */
export function parseServiceTime(text: unknown): number | undefined {
  return parse(text, true);
}

/** As `parseServiceTime`, for the records of one answer: the end of one is mostly the start of the next. */
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

/** Date.parse takes 30 February for 1 March. */
function dayExists(year: string, month: string, day: string): boolean {
  if (month === "02") return day === "29" && new Date(Date.UTC(Number(year), 1, 29)).getUTCDate() === 29;
  return day < "31" || !SHORT_MONTHS.has(month);
}
