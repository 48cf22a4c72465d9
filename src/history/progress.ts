// How far a run over a range of history has come, and how long it still takes.
import type { HistoryProgress } from "../messages/messages";

/** A progress is told this often at the most; milliseconds. */
const PACE = 1000;

/** All times are milliseconds of one clock. */
export class ProgressMeter {
  #done = 0;
  #records = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    /** Requests of the run; 0 before it is known what is asked for. */
    readonly total: number,
    private readonly startedAt: number,
  ) {}

  get done(): number {
    return this.#done;
  }

  get records(): number {
    return this.#records;
  }

  get percent(): number {
    return this.total === 0 ? 0 : Math.floor((100 * this.#done) / this.total);
  }

  /** Counts one request and its records. */
  count(records: number): void {
    this.#done += 1;
    this.#records += records;
  }

  /** Whether it is time to tell the progress. The end of a run is told by itself. */
  isDue(now: number): boolean {
    return this.#done < this.total && now - this.#toldAt >= PACE;
  }

  tell(now: number, end: Partial<Pick<HistoryProgress, "finished" | "cancelled">> = {}): HistoryProgress {
    this.#toldAt = now;
    const { done, total, records, percent } = this;
    return { done, total, records, percent, finished: false, cancelled: false, ...end };
  }

  /** As long as the requests so far have taken: known after the first. */
  secondsLeft(now: number): number {
    return Math.ceil((((now - this.startedAt) / this.#done) * (this.total - this.#done)) / 1000);
  }
}
