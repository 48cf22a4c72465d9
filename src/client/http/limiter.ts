// Lets the requests of one account go: so many at once, so many a minute, none while the service wants to be left alone.
import fastq from "fastq";
import { AbortedError, errorText, HttpError, RateLimitError } from "../../errors";
import { LONGEST_HOLD_SECONDS } from "./retry";
import { sleep } from "../../waiting";

const MINUTE_MS = 60_000;

/** A time during which the service wants no requests. */
interface Hold {
  /** On the clock of performance.now, which no clock change moves. */
  until: number;
  statusCode: number;
  isWaitedFor: boolean;
}

export class Limiter {
  private readonly queue: fastq.queueAsPromised<() => Promise<void>, void>;
  /** When the last `requestsPerMinute` requests started, oldest first. */
  private readonly starts: number[] = [];
  private hold: Hold | undefined;
  /** Settles when the last of those who have a place has had its turn. */
  private lastTurn: Promise<void> = Promise.resolve();

  /** @param requestsPerMinute 0 = no limit */
  constructor(
    concurrency: number,
    private readonly requestsPerMinute: number,
  ) {
    this.queue = fastq.promise((job: () => Promise<void>) => job(), concurrency);
  }

  /**
   * Runs the task when its turn comes. Who gives up leaves the queue at once.
   * @throws RateLimitError or HttpError, without running the task, while the service asked for more than a minute of rest
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.refuseWhileHeld();
      const leave = (): void => reject(new AbortedError());
      signal.addEventListener("abort", leave);
      void this.queue.push(async () => {
        await this.turn(signal).then(task).then(resolve, reject);
        signal.removeEventListener("abort", leave);
      });
    });
  }

  /** Holds all requests back for so many seconds; of several holds the one that ends last counts. */
  holdBack(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (this.hold !== undefined && this.hold.until >= until) return;
    this.hold = { until, statusCode, isWaitedFor: seconds <= LONGEST_HOLD_SECONDS };
  }

  /** One after the other, so that nobody is overtaken while waiting. */
  private turn(signal: AbortSignal): Promise<void> {
    const turn = this.lastTurn.then(() => this.waitToStart(signal));
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }

  private async waitToStart(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      this.refuseWhileHeld();
      const now = performance.now();
      const wait = Math.max((this.hold?.until ?? now) - now, this.paceMs(now));
      if (wait <= 0) {
        if (this.requestsPerMinute > 0) this.starts.push(now);
        return;
      }
      await sleep(wait, signal);
    }
  }

  /** Milliseconds until one more start keeps every 60 s within the limit. */
  private paceMs(now: number): number {
    if (this.requestsPerMinute === 0) return 0;
    while (this.starts[0] !== undefined && now - this.starts[0] >= MINUTE_MS) this.starts.shift();
    const oldest = this.starts[0];
    return oldest === undefined || this.starts.length < this.requestsPerMinute ? 0 : oldest + MINUTE_MS - now;
  }

  private refuseWhileHeld(): void {
    if (this.hold === undefined || this.hold.isWaitedFor) return;
    const { until, statusCode } = this.hold;
    const retryAfter = Math.ceil((until - performance.now()) / 1000);
    if (retryAfter <= 0) return;
    const text = errorText("held", { seconds: retryAfter });
    if (statusCode === 429) throw new RateLimitError(text, { statusCode, retryAfter });
    throw new HttpError(text, { statusCode, retryAfter });
  }
}
