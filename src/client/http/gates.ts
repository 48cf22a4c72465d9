// Whether a request may start at a moment: the pace, a pause that the service asked for, and a service that fails for all.
import { type EnergyError, HttpError } from "../../errors";
import { sleep, withSignal } from "../../abort";
import { Breaker, type BreakerState, type ServiceFailure } from "./breaker";
import type { Priority } from "./caller";
import { Pace } from "./pace";
import { Pause } from "./pause";
import { isTransient, type Outcome, outcomeOf } from "./retry";

/** Why requests do not start at once. */
export interface GateState {
  /** Milliseconds between two requests while the service refuses some with 429; 0 = not slowed down. */
  readonly spacing: number;
  /** The pause that the service asked for with Retry-After: milliseconds until its end, and the status of that response. */
  readonly pause?: { readonly remaining: number; readonly status: number };
  /** Present while the service fails for all sites. */
  readonly breaker?: BreakerState;
}

/** A request that has started. */
export interface Turn {
  readonly number: number;
  /** Must be called when the request has ended, if present. */
  readonly end: ((isAborted: boolean) => void) | undefined;
}

/** Urgent requests, such as for a token, are part of another one, so a service that fails does not hold them. */
export class Gates {
  readonly #pace: Pace;
  readonly #pause = new Pause();
  readonly #breaker: Breaker;
  #turns = 0;

  /**
   * @param requestsPerMinute 0 = no limit
   * @param retryDelaysMs of the retries that are made for all while the service fails for all
   */
  constructor(requestsPerMinute: number, retryDelaysMs?: readonly number[]) {
    this.#pace = new Pace(requestsPerMinute);
    this.#breaker = new Breaker(retryDelaysMs);
  }

  get state(): GateState {
    const pause = this.#pause.remaining(performance.now());
    const breaker = this.#breaker.state;
    return { spacing: this.#pace.spacing, ...(pause && { pause }), ...(breaker && { breaker }) };
  }

  /** Must be called when a request comes. */
  arrive(priority: Priority, site: string): void {
    this.#breaker.hurry(priority, site);
  }

  /** RateLimitError, HttpError or ServiceDownError if a request may not start for long; otherwise it waits. */
  refusal(isUrgent: boolean): EnergyError | undefined {
    return this.#pause.refusal() ?? (isUrgent ? undefined : this.#breaker.refusal());
  }

  /** Milliseconds until a request may start; infinite while one probes. */
  waitMs(isUrgent: boolean): number {
    if (this.#pause.probe) return Number.POSITIVE_INFINITY;
    const now = performance.now();
    const usual = Math.max(this.#pause.waitMs(now), this.#pace.waitMs(now));
    return isUrgent ? usual : Math.max(usual, this.#breaker.waitMs(now));
  }

  /** Must be called when a request starts. */
  begin(isUrgent: boolean): Turn {
    this.#turns += 1;
    const number = this.#turns;
    this.#pace.start(performance.now());
    const endPause = this.#pause.startProbe();
    if (isUrgent || !this.#breaker.startProbe(number)) return { number, end: endPause };
    const end = (isAborted: boolean): void => {
      this.#breaker.endProbe(number);
      endPause?.(isAborted);
    };
    return { number, end };
  }

  /**
   * Learns from a response.
   * @param startedAt when the request started, from performance.now
   * @returns whether the service works; undefined if the response does not say
   */
  observe(
    { status, retryAfter }: { status: number; retryAfter?: number | undefined },
    startedAt: number,
  ): boolean | undefined {
    const isProbing = this.#pause.probe !== undefined;
    if (retryAfter !== undefined && isTransient(status)) this.#pause.begin(retryAfter, status);
    else if (status === 429) this.#slowDown(startedAt);
    else if (status < 300) this.#pace.recover();
    if (status !== 429) return status < 500;
    // A service does not work that refuses even one request in half a minute, or the only one after the pause that it asked for.
    const isStuck = retryAfter === undefined ? this.#pace.isSlowest : isProbing;
    return isStuck ? false : undefined;
  }

  succeeded(site: string): void {
    this.#breaker.succeeded(site);
  }

  failed(failure: ServiceFailure, turn: number): void {
    this.#breaker.failed(failure, turn);
  }

  /** What a request for a site needs could not be had, after retries. */
  unmet(site: string, error: EnergyError): void {
    const status = error instanceof HttpError ? error.details.statusCode : undefined;
    const isFailure = status !== undefined && status >= 500;
    const outcome: Outcome | undefined = isFailure ? { status } : outcomeOf(error);
    if (outcome) this.#breaker.failed({ site, outcome, error, isFinal: true }, this.#turns);
  }

  /**
   * Resolves when a request may be retried.
   * @throws ServiceDownError as soon as the service fails for all sites; AbortedError
   */
  async waitToRetry(ms: number, signal: AbortSignal): Promise<void> {
    const { opening } = this.#breaker;
    const refusal = this.#breaker.refusal();
    if (refusal) throw refusal;
    try {
      await withSignal([signal, opening], (either) => sleep(ms, either));
    } catch (error) {
      if (signal.aborted || !opening.aborted) throw error;
      const opened = this.#breaker.refusal();
      // Another request may have succeeded in the meantime: then this one is retried at once.
      if (opened) throw opened;
    }
  }

  #slowDown(startedAt: number): void {
    if (!this.#pause.beginAgain()) this.#pace.slowDown(startedAt);
  }
}
