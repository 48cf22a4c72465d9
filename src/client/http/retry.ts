// Decides whether and when to retry a failed request.
import { systemClock } from "../../clock";
import { HttpError, NetworkError, RateLimitError, TimeoutError } from "../../errors";

/** Pauses before the second, third and fourth attempt: even when shortened, they outlast a Wi-Fi drop of 10 s. */
const DELAYS_MS: readonly number[] = [1000, 3000, 10_000];
/** By how much a pause may be shortened at random, so that many installations do not retry at the same instant. */
const JITTER = 1 / 4;
/** No attempt begins later than this after the first one, unless Retry-After says so. */
const MAX_SPAN_MS = 20_000;
/** Fewer, because each attempt takes the whole timeout. */
const MAX_TIMEOUT_RETRIES = 1;

/** The longest Retry-After to wait for; a longer one is an error at once. */
export const MAX_WAIT_SECONDS = 60;

/** Caps Retry-After at an hour; after that, one request finds out whether the service still refuses. */
const MAX_RETRY_AFTER_SECONDS = 3600;

const TRANSIENT: readonly number[] = [429, 500, 502, 503, 504];

/** What the status and the headers of a response say of the pace. */
export interface PaceSignal {
  readonly status: number;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

/** How an attempt ended: with a response, or without one. */
export type Outcome = "network error" | "timeout" | PaceSignal;

/** How an attempt failed; undefined if that says nothing about the service. */
export function outcomeOf(error: unknown): Outcome | undefined {
  if (error instanceof NetworkError) return "network error";
  if (error instanceof TimeoutError) return "timeout";
  if (!(error instanceof HttpError || error instanceof RateLimitError)) return undefined;
  const { statusCode: status, retryAfter } = error.details;
  return status === undefined ? undefined : { status, retryAfter };
}

/** Whether the same request may succeed if retried soon. */
export function isTransient(status: number): boolean {
  return TRANSIENT.includes(status);
}

/** The retries of one request. Times are in milliseconds on the monotonic clock. */
export class Retries {
  readonly #delaysMs: readonly number[];
  #firstBeganAt: number | undefined;
  #attempts = 0;
  #timeouts = 0;

  constructor(delaysMs = DELAYS_MS) {
    this.#delaysMs = delaysMs;
  }

  /** Notes that an attempt begins. Returns its number: 1 for the first one. */
  begin(now: number): number {
    this.#firstBeganAt ??= now;
    this.#attempts += 1;
    return this.#attempts;
  }

  /**
   * Milliseconds until the next attempt, or undefined if there should be none.
   * @param random from 0 to 1
   */
  delayAfter(outcome: Outcome, now = performance.now(), random = Math.random()): number | undefined {
    const delay = this.#delaysMs[this.#attempts - 1];
    if (delay === undefined) return undefined;
    if (outcome === "timeout") {
      this.#timeouts += 1;
      return this.#timeouts <= MAX_TIMEOUT_RETRIES ? shortened(delay, random) : undefined;
    }
    if (typeof outcome === "object") {
      if (!isTransient(outcome.status)) return undefined;
      const { retryAfter } = outcome;
      if (retryAfter !== undefined) return retryAfter > MAX_WAIT_SECONDS ? undefined : retryAfter * 1000;
    }
    const next = shortened(delay, random);
    return now + next - (this.#firstBeganAt ?? now) > MAX_SPAN_MS ? undefined : next;
  }
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
  // Some services send fractions.
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Math.min(Math.ceil(+header), MAX_RETRY_AFTER_SECONDS);
  const until = httpDate(header);
  if (until === undefined) return undefined;
  const seconds = Math.ceil((until - (httpDate(dateHeader) ?? systemClock.now())) / 1000);
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

/** Accepts only HTTP dates, with weekday and time: Date.parse would also accept `-5` or `1.5`. The form that ends with the year is in GMT. */
export function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const time = Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  return Number.isNaN(time) ? undefined : time;
}

function shortened(delay: number, random: number): number {
  return delay * (1 - JITTER * random);
}
