// Reads the path and query of a request to the demo service, and refuses what the service would refuse.
import { MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { parseUserTime } from "../models/time";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const badRequest = (message: string) => new Refusal(400, "BAD_REQUEST", message);
export const unauthorized = (message: string) => new Refusal(401, "UNAUTHORIZED", message);
export const notFound = (message: string) => new Refusal(404, "NOT_FOUND", message);

export interface Call {
  /** Below `/v1`, decoded. */
  path: string[];
  query: URLSearchParams;
  /** Whether the version header opts in to PC1 (service interface 9). */
  pc1: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

export function readPath(path: string): string[] {
  const [, version, ...parts] = path.split("/").map(decode);
  if (version !== "v1") throw notFound("No such endpoint");
  return parts;
}

/** The time window of a telemetry request (service interface 4.4). */
export function readWindow(query: URLSearchParams): TimeWindow {
  const window = { start: readTime(query, "startTime"), end: readTime(query, "endTime") };
  if (window.end <= window.start) throw badRequest("endTime must be after startTime");
  if (window.end - window.start > MAX_WINDOW) throw badRequest("The range is longer than 24 hours");
  return window;
}

export function readFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? "false";
  if (text !== "true" && text !== "false") throw badRequest(`${name} must be true or false`);
  return text === "true";
}

function readTime(query: URLSearchParams, name: string): number {
  const time = parseUserTime(query.get(name));
  if (time === undefined) throw badRequest(`${name} must be an ISO 8601 timestamp with an offset`);
  return time;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest("The path is not percent-encoded correctly");
  }
}
