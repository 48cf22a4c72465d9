// Durations and times of a report, in English.
import { HOUR, MINUTE } from "../time-units";

const SECOND = 1000;
const DAY = 24 * HOUR;

const UNITS = [
  ["d", DAY],
  ["h", HOUR],
  ["min", MINUTE],
  ["s", SECOND],
] as const;

/** Two units at most, such as `3 h 12 min`, or `240 ms`. The sign is ignored. */
export function durationText(milliseconds: number): string {
  let rest = Math.round(Math.abs(milliseconds));
  if (rest < 10 * SECOND) return rest < SECOND ? `${rest} ms` : `${(rest / SECOND).toFixed(1)} s`;
  const first = UNITS.findIndex(([, size]) => rest >= size);
  const parts = UNITS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.join(" ");
}

/** Such as `5 min ago` or `in 3 h`. */
export function agoText(time: number, now: number): string {
  return time > now ? `in ${durationText(time - now)}` : `${durationText(now - time)} ago`;
}

/** In UTC, to the second. */
export function timeText(time: number): string {
  // A ledger may hold any number.
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString().replace(/\.\d+Z$/, "Z");
}

export function spanText({ start, end }: { start: number; end: number }): string {
  return `${timeText(start)} to ${timeText(end)}`;
}
