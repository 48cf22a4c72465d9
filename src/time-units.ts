// Durations in milliseconds, and as a text; times as a text, and when they are ahead of the clock; windows of requests.
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A day of 24 hours; local days may be shorter or longer. */
export const DAY = 24 * HOUR;

/** Clocks that differ by no more than this count as equal: no reason to correct one by the other. */
export const CLOCK_TOLERANCE = 60_000;

/** Whether a time of the past is in the future: the clock was wrong then, or is now, and no one knows how long ago it was. */
export function isAhead(time: number, now: number): boolean {
  return time > now + CLOCK_TOLERANCE;
}

/** Milliseconds since the epoch. Both edges are exclusive (service interface 4.4 rule 1). */
export interface TimeWindow {
  start: number;
  end: number;
}

/** The longest window that one request may have (service interface 4.4 rule 2). */
export const MAX_WINDOW = 24 * HOUR;

/** How far past now a request reaches, so that a small clock difference loses no records. */
export const AHEAD = 5 * MINUTE;

/** Whether a record overlaps a window: touching an edge is not enough. */
export function isInWindow(record: TimeWindow, window: TimeWindow): boolean {
  return record.start < window.end && record.end > window.start;
}

/** What two windows have in common; it ends before it starts if that is nothing. */
export function commonPart(one: TimeWindow, other: TimeWindow): TimeWindow {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/** How much time windows cover, of which none overlap; in milliseconds. */
export function lengthOf(windows: readonly TimeWindow[]): number {
  return windows.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Splits a window into consecutive windows of at most `longest` milliseconds. */
export function splitWindow(window: TimeWindow, longest = MAX_WINDOW): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (let start = window.start; start < window.end; start += longest) {
    windows.push({ start, end: Math.min(start + longest, window.end) });
  }
  return windows;
}

/** Windows in order, without those that are empty and with those that touch as one, which is what the first of them is. */
export function joinedWindows<Window extends TimeWindow>(windows: readonly Window[]): Window[] {
  const joined: Window[] = [];
  const ordered = windows.toSorted((one, other) => one.start - other.start);
  for (const one of ordered.filter(({ start, end }) => start < end)) {
    const last = joined.at(-1);
    if (!last || one.start > last.end) joined.push(one);
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, one.end) };
  }
  return joined;
}

/** A window as the service and messages write it. */
export function isoRange({ start, end }: TimeWindow) {
  return { startTime: isoTime(start), endTime: isoTime(end) };
}

const UNITS = [
  ["d", DAY],
  ["h", HOUR],
  ["min", MINUTE],
  ["s", 1000],
] as const;

/**
 * Two units at most, such as `3 h 12 min`: these abbreviations are the same in all languages of the package. The sign is ignored.
 * @param precision rounds to whole minutes or seconds; less than half of one is ""
 */
export function durationText(milliseconds: number, precision: "min" | "s" = "min"): string {
  const smallest = precision === "min" ? MINUTE : 1000;
  let rest = Math.round(Math.abs(milliseconds) / smallest) * smallest;
  const units = UNITS.filter(([, size]) => size >= smallest);
  const first = units.findIndex(([, size]) => rest >= size);
  const parts = units.slice(first, first < 0 ? 0 : first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return parts.filter((part) => part !== "").join(" ");
}

/** How a wrong clock of this machine is reported. `correction` is service time minus local time, in milliseconds. */
export function correctionText(correction: number) {
  const key = correction > 0 ? "clockBehind" : "clockAhead";
  return { key, values: { duration: durationText(correction) } } as const;
}

const SECONDS_LENGTH = "00.000Z".length;
/** Of each minute of a day, such as `T05:05:00.000Z`. */
const minuteTexts = Array.from({ length: DAY / MINUTE }, (_none, minute) =>
  new Date(minute * MINUTE).toISOString().slice("1970-01-01".length),
);
/** Of the time that was written last: the next one is often of the same day, and as far into its minute. */
let [lastDay, dayText] = [Number.NaN, ""];
let [lastRest, restText] = [Number.NaN, ""];

/** A time as ISO 8601 in UTC, as `toISOString` writes it: that would be the slowest step per record. */
export function isoTime(time: number): string {
  if (!Number.isInteger(time)) return new Date(time).toISOString();
  const day = Math.floor(time / DAY);
  const minute = Math.floor((time - day * DAY) / MINUTE);
  const rest = time - day * DAY - minute * MINUTE;
  if (day !== lastDay) {
    dayText = new Date(time).toISOString().slice(0, -"T00:00:00.000Z".length);
    lastDay = day;
  }
  const minuteText = minuteTexts[minute] ?? "";
  if (rest === 0) return dayText + minuteText;
  if (rest !== lastRest) {
    restText = new Date(time).toISOString().slice(-SECONDS_LENGTH);
    lastRest = rest;
  }
  return dayText + minuteText.slice(0, -SECONDS_LENGTH) + restText;
}
