// Remembers the series that fail by themselves: scheduled runs request them less and less often, at least once an hour.
import type { SeriesAddress } from "../../../../src/series/identity";
import { HOUR } from "../../../../src/time-units";
import type { Failure } from "../base/errors";

export const LONGEST_PAUSE = HOUR;

/** A series that fails by itself. Times in milliseconds of the steady clock. */
interface FailingSeries {
  readonly address: SeriesAddress;
  readonly since: number;
  readonly error: unknown;
  /** Failures in a row. */
  readonly count: number;
  readonly askedAt: number;
  /** How many scheduled runs leave it out. */
  runsLeft: number;
}

export class BackOff {
  readonly #failing = new Map<string, FailingSeries>();
  #lastRunAt = Number.NEGATIVE_INFINITY;
  #interval = 0;

  /** Must be called when a scheduled run begins. */
  beginRun(now: number): void {
    this.#interval = Number.isFinite(this.#lastRunAt) ? now - this.#lastRunAt : 0;
    this.#lastRunAt = now;
  }

  /** Why a scheduled run leaves a series out; undefined if it requests it. Call it once a run. */
  skip(id: string, now: number): Failure | undefined {
    const failing = this.#failing.get(id);
    if (!failing) return undefined;
    const { askedAt, error, address } = failing;
    // The next run would be too late.
    const isLate = now - askedAt + this.#interval > LONGEST_PAUSE;
    if (failing.runsLeft <= 0 || isLate) return undefined;
    failing.runsLeft -= 1;
    return { error, address };
  }

  failed(id: string, { address, error }: Failure & { address: SeriesAddress }, now: number): void {
    const { since = now, count = 0 } = this.#failing.get(id) ?? {};
    // Asked again after 1, 2, 4, ... runs.
    const runsLeft = 2 ** Math.min(count, 20) - 1;
    this.#failing.set(id, { address, since, error, count: count + 1, askedAt: now, runsLeft });
  }

  /** Whether the series failed by itself when it was last requested. */
  has(id: string): boolean {
    return this.#failing.has(id);
  }

  recovered(id: string): void {
    this.#failing.delete(id);
  }

  /** What fails by itself, longest first. */
  get failing(): readonly FailingSeries[] {
    return [...this.#failing.values()];
  }
}
