// Reads the time window of a telemetry request and tests which records are in it (service interface 4.4).
import { badRequest } from "./refusal";

export interface Window {
  startMs: number;
  endMs: number;
}

const MAX_MS = 24 * 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

export function readWindow(query: URLSearchParams): Window {
  const window = { startMs: readTime(query, "startTime"), endMs: readTime(query, "endTime") };
  if (window.endMs <= window.startMs) throw badRequest("endTime must be after startTime");
  if (window.endMs - window.startMs > MAX_MS) throw badRequest("The range is longer than 24 hours");
  return window;
}

/** Both edges are exclusive: a record that only touches one is not in the window (service interface 4.4 rule 1). */
export function inWindow(record: { startTime: string; endTime: string }, window: Window): boolean {
  return Date.parse(record.startTime) < window.endMs && Date.parse(record.endTime) > window.startMs;
}

function readTime(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw badRequest(`${name} must be an ISO 8601 timestamp with an offset`);
  return ms;
}
