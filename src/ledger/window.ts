// Time windows of requests: both edges exclusive, at most 24 hours long (service interface 4.4 rules 1 and 2).
import { HOUR, MINUTE } from "../time-units";

/** Milliseconds since the epoch. Both edges are exclusive: a record that only touches one is not in the window. */
export interface TimeWindow {
  start: number;
  end: number;
}

/** The longest window that one request may have (service interface 4.4 rule 2). */
export const MAX_WINDOW = 24 * HOUR;

/** How far the latest-value window extends either side of now, in minutes (service interface 4.4, usage patterns). */
const LATEST_REACH_MINUTES = 15;

/** How far back to look for the latest value. */
const MAX_SEARCH = 7 * 24 * HOUR;

/** Whether a record overlaps a window: touching an edge is not enough. */
export function isInWindow(record: TimeWindow, window: TimeWindow): boolean {
  return record.start < window.end && record.end > window.start;
}

/** Splits a window into consecutive windows of at most `longest` milliseconds. */
export function splitWindow(window: TimeWindow, longest = MAX_WINDOW): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (let start = window.start; start < window.end; start += longest) {
    windows.push({ start, end: Math.min(start + longest, window.end) });
  }
  return windows;
}

/** The window that holds the newest record: 15 minutes either side of now, or further back, up to 24 hours in total. */
export function latestWindow(now: number, maxAgeMinutes = LATEST_REACH_MINUTES): TimeWindow {
  const end = now + LATEST_REACH_MINUTES * MINUTE;
  const back = Math.max(LATEST_REACH_MINUTES, maxAgeMinutes) * MINUTE;
  return { start: Math.max(now - back, end - MAX_WINDOW), end };
}

/** The windows to search for a record of at most this age, newest first; a week at most. */
export function latestWindows(now: number, maxAgeMinutes: number): TimeWindow[] {
  const latest = latestWindow(now, maxAgeMinutes);
  const windows = [latest];
  const oldest = Math.max(now - maxAgeMinutes * MINUTE, now - MAX_SEARCH);
  for (let end = latest.start; end > oldest; end -= MAX_WINDOW) {
    windows.push({ start: Math.max(end - MAX_WINDOW, oldest), end });
  }
  return windows;
}
