// Time windows of requests: both edges exclusive, at most 24 hours long (service interface 4.4 rules 1 and 2).
import { HOUR } from "../time-units";

/** Milliseconds since the epoch. Both edges are exclusive: a record that only touches one is not in the window. */
export interface TimeWindow {
  start: number;
  end: number;
}

/** The longest window that one request may have (service interface 4.4 rule 2). */
export const MAX_WINDOW = 24 * HOUR;

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
