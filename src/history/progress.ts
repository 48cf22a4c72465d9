// Progress of a history run, and the time it has left.
import type { HistoryProgress } from "../messages/messages";

/** The shortest time between two reports, in milliseconds. */
const REPORT_INTERVAL = 1000;

/** All times are in milliseconds, by the same clock. */
export class ProgressMeter {
  #done = 0;
  #records = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  readonly #startedAt: number;
  /** Requests in the run; 0 before it is planned. */
  readonly total: number;

  constructor(total: number, startedAt: number) {
    this.total = total;
    this.#startedAt = startedAt;
  }

  get done(): number {
    return this.#done;
  }

  get records(): number {
    return this.#records;
  }

  /** Counts records that were sent. */
  count(records: number): void {
    this.#records += records;
  }

  /** Counts a request whose records were all sent. */
  endRequest(): void {
    this.#done += 1;
  }

  /** Whether it is time to report progress. The end of a run is always reported. */
  isDue(now: number): boolean {
    return this.#done < this.total && now - this.#reportedAt >= REPORT_INTERVAL;
  }

  /** The progress to send; restarts the interval of `isDue`. */
  report(now: number, end: Partial<Pick<HistoryProgress, "finished" | "cancelled">> = {}): HistoryProgress {
    this.#reportedAt = now;
    const { done, total, records } = this;
    // Rounded down, so that 100 means finished.
    const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
    return { done, total, records, percent, finished: false, cancelled: false, ...end };
  }

  /** An estimate from the pace so far; needs at least one finished request. */
  secondsLeft(now: number): number {
    return Math.ceil((((now - this.#startedAt) / this.#done) * (this.total - this.#done)) / 1000);
  }
}
