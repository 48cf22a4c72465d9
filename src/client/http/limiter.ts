// Limits the requests of one account: in parallel, per minute, and while the service asks for a pause.
import fastq from "fastq";
import { AbortedError, errorText, HttpError, RateLimitError } from "../../errors";
import { sleep, waitFor } from "../../waiting";
import { MAX_WAIT_SECONDS } from "./retry";

const MINUTE_MS = 60_000;

/** A time during which the service wants no requests. */
interface Pause {
  /** From performance.now, which clock changes do not affect. */
  until: number;
  statusCode: number;
  /** Whether requests wait for its end; otherwise they fail at once. */
  isShort: boolean;
}

export class Limiter {
  readonly #queue: fastq.queueAsPromised<() => Promise<unknown>>;
  readonly #requestsPerMinute: number;
  /** When the last `requestsPerMinute` requests started, oldest first. */
  readonly #starts: number[] = [];
  #pause: Pause | undefined;
  /** Settles once the last request taken from the queue may start. */
  #lastTurn: Promise<void> = Promise.resolve();

  /** @param requestsPerMinute 0 = no limit */
  constructor(concurrency: number, requestsPerMinute: number) {
    this.#queue = fastq.promise((job: () => Promise<unknown>) => job(), concurrency);
    this.#requestsPerMinute = requestsPerMinute;
  }

  /**
   * Runs the task when its turn comes. An aborted task leaves the queue at once.
   * @throws RateLimitError or HttpError, without running the task, during a pause of more than a minute; AbortedError
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#throwInLongPause();
    const turn = this.#queue.push(() => this.#turn(signal).then(task)) as Promise<T>;
    return waitFor(turn, signal);
  }

  /** Delays all requests; of several pauses, the one that ends last applies. */
  pause(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (this.#pause !== undefined && this.#pause.until >= until) return;
    this.#pause = { until, statusCode, isShort: seconds <= MAX_WAIT_SECONDS };
  }

  /** One at a time, so that no request overtakes one that is waiting. */
  #turn(signal: AbortSignal): Promise<void> {
    const turn = this.#lastTurn.then(() => this.#waitToStart(signal));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #waitToStart(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      this.#throwInLongPause();
      const now = performance.now();
      const wait = Math.max((this.#pause?.until ?? now) - now, this.#paceMs(now));
      if (wait <= 0) {
        if (this.#requestsPerMinute > 0) this.#starts.push(now);
        return;
      }
      await sleep(wait, signal);
    }
  }

  /** Milliseconds until another request may start within the rate limit. */
  #paceMs(now: number): number {
    if (this.#requestsPerMinute === 0) return 0;
    while (this.#starts[0] !== undefined && now - this.#starts[0] >= MINUTE_MS) this.#starts.shift();
    const oldest = this.#starts[0];
    const isWithinLimit = oldest === undefined || this.#starts.length < this.#requestsPerMinute;
    return isWithinLimit ? 0 : oldest + MINUTE_MS - now;
  }

  #throwInLongPause(): void {
    if (this.#pause === undefined || this.#pause.isShort) return;
    const { until, statusCode } = this.#pause;
    const retryAfter = Math.ceil((until - performance.now()) / 1000);
    if (retryAfter <= 0) return;
    const text = errorText("held", { seconds: retryAfter });
    if (statusCode === 429) throw new RateLimitError(text, { statusCode, retryAfter });
    throw new HttpError(text, { statusCode, retryAfter });
  }
}
