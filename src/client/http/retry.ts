// Decides whether and when to retry a failed request.
import { systemClock } from "../../clock";

/** Maximum number of attempts, including the first. */
const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/** The longest Retry-After to wait for; a longer one is an error at once. */
export const MAX_WAIT_SECONDS = 60;

/** Caps an absurdly long Retry-After at a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** How an attempt ended; no status = network failure. */
export interface Outcome {
  status?: number | undefined;
  /** In seconds. */
  retryAfter?: number | undefined;
}

/** Whether the same request may succeed if retried soon. */
export function isTransient(status: number | undefined): boolean {
  return status === undefined || status === 429 || (status >= 502 && status <= 504);
}

/**
 * Milliseconds until the next attempt, or undefined if there should be none.
 * @param attempt number of attempts so far, from 1
 * @param random from 0 to 1, for full jitter, so that many installations do not retry at the same instant
 */
export function retryDelayMs(outcome: Outcome, attempt: number, random: number): number | undefined {
  if (attempt >= MAX_ATTEMPTS || !isTransient(outcome.status)) return undefined;
  if (outcome.retryAfter === undefined) {
    return random * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  }
  return outcome.retryAfter > MAX_WAIT_SECONDS ? undefined : outcome.retryAfter * 1000;
}

/**
 * A Retry-After header, in seconds or as an HTTP date, as seconds; undefined if it is not valid.
 * A date is compared with the response's own Date header, so that a wrong local clock does not matter.
 */
export function parseRetryAfter(
  header: string | undefined,
  dateHeader: string | undefined,
): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), MAX_RETRY_AFTER_SECONDS);
  const until = httpDate(header);
  if (until === undefined) return undefined;
  const seconds = Math.ceil((until - (httpDate(dateHeader) ?? systemClock.now())) / 1000);
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

/** Accepts only HTTP dates, with weekday and time: Date.parse would also accept `-5` or `1.5`. */
function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
