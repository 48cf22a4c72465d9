// Durations and times of a report, in English.
import { durationText as roundedText } from "../time-units";

const SECOND = 1000;

/** Two units at most, such as `3 h 12 min` or `2 min 5 s`; short ones as `3.2 s` or `240 ms`. The sign is ignored. */
export function durationText(milliseconds: number): string {
  const length = Math.round(Math.abs(milliseconds));
  if (length < SECOND) return `${length} ms`;
  return length < 10 * SECOND ? `${(length / SECOND).toFixed(1)} s` : roundedText(length, "s");
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
