// The pace of requests: the account's rate limit, the pauses that the service requests, and a longer spacing after 429.
import { type EnergyError, errorText, statusFailure } from "../../errors";
import { MINUTE } from "../../time-units";
import { isTransient, MAX_WAIT_SECONDS, type PaceSignal } from "./retry";

/** The least time between two requests once the service has refused one. */
const FIRST_SPACING_MS = 500;
const MAX_SPACING_MS = 30_000;
/** Each success multiplies the spacing by this, until it is negligible. */
const RECOVERY = 0.9;
const NEGLIGIBLE_SPACING_MS = 100;

/** Why requests do not start at once. */
export interface PaceState {
  /** Milliseconds between two requests while the service refuses some with 429; 0 = not slowed down. */
  readonly spacing: number;
  /** The pause that the service requested with Retry-After: milliseconds until its end, and the status of that response. */
  readonly pause?: { readonly remaining: number; readonly status: number };
}

/** A pause that the service requested; kept after its end until a request, the probe, has not been refused. */
interface Pause {
  readonly until: number;
  readonly seconds: number;
  readonly statusCode: number;
  /** The turn of the probe in flight. */
  probe?: number | undefined;
}

/** Times are in milliseconds from performance.now, which clock changes do not affect. */
export class Pace {
  readonly #requestsPerMinute: number;
  /** When the last `requestsPerMinute` requests started, oldest first. */
  readonly #starts: number[] = [];
  #lastStart = Number.NEGATIVE_INFINITY;
  #spacing = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #pause: Pause | undefined;

  /** @param requestsPerMinute 0 = no limit */
  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  get state(): PaceState {
    const remaining = this.#pauseLeft(performance.now());
    const pause = this.#pause && remaining > 0 && { remaining, status: this.#pause.statusCode };
    return { spacing: this.#spacing, ...(pause && { pause }) };
  }

  /** Milliseconds until another request may start; infinite while one probes. */
  waitMs(now: number): number {
    if (this.#pause?.probe !== undefined) return Number.POSITIVE_INFINITY;
    const spaced = this.#spacing === 0 ? 0 : this.#lastStart + this.#spacing - now;
    return Math.max(this.#pauseLeft(now), this.#limitLeft(now), spaced);
  }

  /** RateLimitError or HttpError during a pause of more than a minute; requests wait for the end of a shorter one. */
  refusal(): EnergyError | undefined {
    if (!this.#pause || this.#pause.seconds <= MAX_WAIT_SECONDS) return undefined;
    const { statusCode } = this.#pause;
    const retryAfter = Math.ceil(this.#pauseLeft(performance.now()) / 1000);
    if (retryAfter <= 0) return undefined;
    return statusFailure(errorText("held", { seconds: retryAfter }), { statusCode, retryAfter });
  }

  /**
   * Must be called when a request starts, which is the probe after a pause, and `end` when it has ended.
   * @param turn undefined for a request that is no probe
   */
  start(turn: number | undefined, now: number): void {
    this.#lastStart = now;
    if (this.#requestsPerMinute > 0) this.#starts.push(now);
    if (this.#pause && turn !== undefined) this.#pause.probe = turn;
  }

  /** If the probe was aborted, the next request is the probe. If it was refused, another pause has begun by then. */
  end(turn: number, isAborted: boolean): void {
    if (this.#pause?.probe !== turn) return;
    if (isAborted) this.#pause.probe = undefined;
    else this.#pause = undefined;
  }

  /**
   * Learns from a response.
   * @param startedAt when the request started: those that were in flight together slow down the account once
   * @returns whether the service works; undefined if the response does not say
   */
  observe({ status, retryAfter }: PaceSignal, startedAt: number): boolean | undefined {
    const isProbing = this.#pause?.probe !== undefined;
    if (retryAfter !== undefined && isTransient(status)) this.#beginPause(retryAfter, status);
    else if (status === 429) this.#slowDown(startedAt);
    else if (status < 300) this.#recover();
    if (status !== 429) return status < 500;
    // A service that refuses even one request in half a minute, or the only one after the pause that it requested, does not work.
    const isStuck = retryAfter === undefined ? this.#spacing === MAX_SPACING_MS : isProbing;
    return isStuck ? false : undefined;
  }

  /** Of several pauses, the one that ends last applies. */
  #beginPause(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (seconds > 0 && (this.#pause?.until ?? 0) < until) this.#pause = { until, seconds, statusCode };
  }

  /** Doubles the time between requests, or repeats a pause that has ended without a successful probe. */
  #slowDown(startedAt: number): void {
    const now = performance.now();
    if (this.#pause && this.#pauseLeft(now) <= 0) {
      this.#beginPause(this.#pause.seconds, this.#pause.statusCode);
    } else if (startedAt >= this.#slowedAt) {
      this.#slowedAt = now;
      this.#spacing = Math.min(Math.max(this.#spacing * 2, FIRST_SPACING_MS), MAX_SPACING_MS);
    }
  }

  #recover(): void {
    this.#spacing *= RECOVERY;
    if (this.#spacing < NEGLIGIBLE_SPACING_MS) this.#spacing = 0;
  }

  #pauseLeft(now: number): number {
    return (this.#pause?.until ?? now) - now;
  }

  #limitLeft(now: number): number {
    while (this.#starts[0] !== undefined && now - this.#starts[0] >= MINUTE) this.#starts.shift();
    const [oldest] = this.#starts;
    const isWithinLimit = oldest === undefined || this.#starts.length < this.#requestsPerMinute;
    return isWithinLimit ? 0 : oldest + MINUTE - now;
  }
}
