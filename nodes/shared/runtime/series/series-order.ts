// Which series a run reads, and in which order: what was not read for longest comes first, and scheduled runs request what fails
// by itself less and less often.
import { systemClock } from "../../../../src/clock";
import type { FailingPart } from "../../../../src/diagnostics/parts";
import { RateLimitError } from "../../../../src/errors";
import { inTurns } from "../../../../src/loop-turns";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import { HOUR } from "../../../../src/time-units";
import { errorInfo, type Failure } from "../base/errors";
import type { SeriesOutcomes } from "./series-outcomes";

/** In scheduled runs, a series that fails by itself is requested at least as often, in milliseconds. */
const LONGEST_PAUSE = HOUR;

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

interface Plan {
  readonly due: readonly SeriesAddress[];
  /** Those that a scheduled run leaves out, because they fail by themselves. */
  readonly skipped: readonly Failure[];
}

export class SeriesOrder {
  /** The last run that read each series, and half a run later for one that has failed since. */
  readonly #lastRead = new Map<string, number>();
  readonly #failing = new Map<string, FailingSeries>();
  #runs = 0;
  #scheduledAt: number | undefined;

  /** Call it once a run. A run that a message triggered leaves nothing out. */
  async plan(
    addresses: readonly SeriesAddress[],
    isByMessage: boolean,
    now = systemClock.monotonic(),
  ): Promise<Plan> {
    if (addresses.length < 2) return { due: addresses, skipped: [] };
    const interval = now - (this.#scheduledAt ?? now);
    if (!isByMessage) this.#scheduledAt = now;
    const ranked: { address: SeriesAddress; rank: number }[] = [];
    const skipped: Failure[] = [];
    await inTurns(addresses, (address) => {
      const id = addressId(address);
      const failing = isByMessage ? undefined : this.#failing.get(id);
      // The next run would be too late.
      const isLate = failing && now - failing.askedAt + interval > LONGEST_PAUSE;
      if (failing && failing.runsLeft > 0 && !isLate) {
        failing.runsLeft -= 1;
        skipped.push({ error: failing.error, address: failing.address });
      } else {
        ranked.push({ address, rank: this.#lastRead.get(id) ?? 0 });
      }
    });
    const due = ranked.toSorted((one, other) => one.rank - other.rank).map(({ address }) => address);
    return { due, skipped };
  }

  /** Whether the series failed by itself when it was last requested. */
  isFailing(address: SeriesAddress): boolean {
    return this.#failing.has(addressId(address));
  }

  /** Learns from a run over several series. */
  note({ failed, results, isFailingForAll }: SeriesOutcomes<unknown>, now = systemClock.monotonic()): void {
    this.#runs += 1;
    for (const { address, error } of failed) {
      // A service that wants fewer requests says nothing about the series.
      if (error instanceof RateLimitError) continue;
      const id = addressId(address);
      this.#lastRead.set(id, Math.floor(this.#lastRead.get(id) ?? 0) + 0.5);
      if (isFailingForAll) continue;
      const { since = now, count = 0 } = this.#failing.get(id) ?? {};
      // Requested again after 1, 2, 4, ... runs.
      const runsLeft = 2 ** Math.min(count, 20) - 1;
      this.#failing.set(id, { address, since, error, count: count + 1, askedAt: now, runsLeft });
    }
    for (const address of results.keys()) {
      this.#lastRead.set(addressId(address), this.#runs);
      this.forget(address);
    }
  }

  /** What fails by itself need not be remembered of a series that is read, or gone. */
  readonly forget = (address: SeriesAddress): void => void this.#failing.delete(addressId(address));

  /**
   * What fails by itself, for the diagnostics: longest first, with times of the local clock.
   * @param next when the next scheduled run is due, if there is one
   */
  failing(next: number | undefined, interval: number): FailingPart[] {
    const offset = systemClock.now() - systemClock.monotonic();
    return [...this.#failing.values()].map(({ address, since, error, count, askedAt, runsLeft }) => {
      const { code, statusCode } = errorInfo(error);
      const part = { address, since: since + offset, code, statusCode, count };
      if (next === undefined) return part;
      const latest = askedAt + LONGEST_PAUSE + offset;
      const last = next + Math.max(Math.floor((latest - next) / interval), 0) * interval;
      return { ...part, nextAttempt: Math.min(next + runsLeft * interval, last) };
    });
  }
}
