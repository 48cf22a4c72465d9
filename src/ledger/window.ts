// Query windows: both edges exclusive, at most 24 hours long (service interface 4.4 rules 1 and 2).
import { HOUR, MINUTE } from "../time-units";

/** Milliseconds since the epoch. Both edges are exclusive for the service: a record that only touches one is not in it. */
export interface TimeWindow {
  start: number;
  end: number;
}

/** The longest range that one request may ask for (service interface 4.4 rule 2). */
export const LONGEST_WINDOW = 24 * HOUR;

/** How far the latest-value window reaches to either side of now, in minutes (service interface 4.4, usage patterns). */
const LATEST_REACH_MINUTES = 15;

/** How far back the latest value is looked for. */
const LONGEST_SEARCH = 7 * 24 * HOUR;

/** A record is in a window when it overlaps it: touching an edge is not enough. */
export function isInWindow(record: TimeWindow, window: TimeWindow): boolean {
  return record.start < window.end && record.end > window.start;
}

/** The windows to ask for one after another; each starts where the one before ends, so nothing lies between them. */
export function splitWindow(window: TimeWindow, longest = LONGEST_WINDOW): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (let start = window.start; start < window.end; start += longest) {
    windows.push({ start, end: Math.min(start + longest, window.end) });
  }
  return windows;
}

/** The window that holds the freshest record: 15 minutes to either side of now, or further back, up to 24 hours in all. */
export function latestWindow(now: number, maxAgeMinutes = LATEST_REACH_MINUTES): TimeWindow {
  const end = now + LATEST_REACH_MINUTES * MINUTE;
  const back = Math.max(LATEST_REACH_MINUTES, maxAgeMinutes) * MINUTE;
  return { start: Math.max(now - back, end - LONGEST_WINDOW), end };
}

/** What to ask for until a record is found that may be so old, newest first; a week at the most. */
export function latestWindows(now: number, maxAgeMinutes: number): TimeWindow[] {
  const latest = latestWindow(now, maxAgeMinutes);
  const windows = [latest];
  const oldest = Math.max(now - maxAgeMinutes * MINUTE, now - LONGEST_SEARCH);
  for (let end = latest.start; end > oldest; end -= LONGEST_WINDOW) {
    windows.push({ start: Math.max(end - LONGEST_WINDOW, oldest), end });
  }
  return windows;
}
