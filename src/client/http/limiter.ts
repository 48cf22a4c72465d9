// Starts the requests of one account: so many in parallel, so many a minute, and none while the service limits the rate.
import fastq from "fastq";
import { AbortedError, errorText, HttpError, RateLimitError } from "../../errors";
import { sleep, waitFor } from "../../waiting";
import { LONGEST_HOLD_SECONDS } from "./retry";

const MINUTE_MS = 60_000;

/** A time during which the service wants no requests. */
interface Hold {
  /** On the clock of performance.now, which no clock change moves. */
  until: number;
  statusCode: number;
  isWaitedFor: boolean;
}

export class Limiter {
  readonly #queue: fastq.queueAsPromised<() => Promise<unknown>>;
  readonly #requestsPerMinute: number;
  /** When the last `requestsPerMinute` requests started, oldest first. */
  readonly #starts: number[] = [];
  #hold: Hold | undefined;
  /** Settles when the last request that left the queue has had its turn. */
  #lastTurn: Promise<void> = Promise.resolve();

  /** @param requestsPerMinute 0 = no limit */
  constructor(concurrency: number, requestsPerMinute: number) {
    this.#queue = fastq.promise((job: () => Promise<unknown>) => job(), concurrency);
    this.#requestsPerMinute = requestsPerMinute;
  }

  /**
   * Runs the task when its turn comes. An aborted task leaves the queue at once.
   * @throws RateLimitError or HttpError, without running the task, while the service asks for a pause of more than a minute
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#refuseWhileHeld();
    const turn = this.#queue.push(() => this.#turn(signal).then(task)) as Promise<T>;
    return waitFor(turn, signal);
  }

  /** Holds back all requests for so many seconds; of several holds, the one that ends last counts. */
  holdBack(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (this.#hold !== undefined && this.#hold.until >= until) return;
    this.#hold = { until, statusCode, isWaitedFor: seconds <= LONGEST_HOLD_SECONDS };
  }

  /** One after the other, so that no request overtakes one that waits. */
  #turn(signal: AbortSignal): Promise<void> {
    const turn = this.#lastTurn.then(() => this.#waitToStart(signal));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #waitToStart(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      this.#refuseWhileHeld();
      const now = performance.now();
      const wait = Math.max((this.#hold?.until ?? now) - now, this.#paceMs(now));
      if (wait <= 0) {
        if (this.#requestsPerMinute > 0) this.#starts.push(now);
        return;
      }
      await sleep(wait, signal);
    }
  }

  /** Milliseconds until one more start keeps every 60 s within the limit. */
  #paceMs(now: number): number {
    if (this.#requestsPerMinute === 0) return 0;
    while (this.#starts[0] !== undefined && now - this.#starts[0] >= MINUTE_MS) this.#starts.shift();
    const oldest = this.#starts[0];
    const isWithinLimit = oldest === undefined || this.#starts.length < this.#requestsPerMinute;
    return isWithinLimit ? 0 : oldest + MINUTE_MS - now;
  }

  #refuseWhileHeld(): void {
    if (this.#hold === undefined || this.#hold.isWaitedFor) return;
    const { until, statusCode } = this.#hold;
    const retryAfter = Math.ceil((until - performance.now()) / 1000);
    if (retryAfter <= 0) return;
    const text = errorText("held", { seconds: retryAfter });
    if (statusCode === 429) throw new RateLimitError(text, { statusCode, retryAfter });
    throw new HttpError(text, { statusCode, retryAfter });
  }
}
