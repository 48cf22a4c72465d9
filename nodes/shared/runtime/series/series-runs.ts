// Runs over all series of a node: in parallel up to a limit, spread over time, and starting where the last run had to stop.
import type { Node, NodeAPI } from "node-red";
import { sleep, withSignal } from "../../../../src/abort";
import { systemClock } from "../../../../src/clock";
import { AbortedError, RateLimitError } from "../../../../src/errors";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import type { FailingPart } from "../../../../src/diagnostics/parts";
import { notesOf } from "../lifecycle/node-notes";
import { errorInfo, type Failure } from "../base/errors";
import type { SystemSettings } from "./selection";
import { KnownSeries, type SeriesList } from "./known-series";
import { HOUR } from "../../../../src/time-units";
import { inTurns } from "../../../../src/loop-turns";
import { SeriesOutcomes } from "./series-outcomes";
import type { Run } from "../service/service-node";
import { noSitesNotice, StandingNotice } from "../service/unreadable";
import { warningStatus } from "../base/status";

/** How many series are read at the same time; the account limits the requests further. */
const MAX_PARALLEL = 16;
/**
 * Reads one series, and sends what it has.
 * @param listed the series as the run's list has it
 * @param resolve which one that is; rejects with the service's error while that is unknown
 */
export type SeriesWork<T> = (listed: SeriesAddress, resolve: () => Promise<ResolvedSeries>) => Promise<T>;

/** How many series of a run start at once, however it is spread. */
const FREE_STARTS = 4;

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

/** Scheduled runs request the series that fail by themselves less and less often. */
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

export class SeriesRuns {
  /** What a run addresses. */
  readonly known: KnownSeries;
  /** The last run that read each series, and half a run later for one that has failed since. */
  readonly #lastRead = new Map<string, number>();
  readonly #backOff = new BackOff();
  readonly #emptyList = new StandingNotice();
  readonly #oldList = new StandingNotice();
  #runs = 0;

  constructor(RED: NodeAPI, node: Node, settings: SystemSettings) {
    this.known = new KnownSeries(RED, node, settings);
    notesOf(node).failing.push((next, interval) => failingParts(this.#backOff, next, interval));
  }

  /**
   * Does the work for every series, and resolves to the results in the order of the list. A series that fails does not
   * stop the others, unless the service fails for all. Scheduled runs leave out some of those that fail by themselves.
   * Rejects with PartialFailure, a single error, or AbortedError.
   * @param isFresh whether a result counts as fresh, for the status
   */
  async each<T>(
    run: Run,
    list: SeriesList,
    work: SeriesWork<T>,
    isFresh?: (result: T) => boolean,
  ): Promise<T[]> {
    const { addresses, error } = list;
    const { noSites } = await run.service();
    this.#emptyList.check(run, addresses.length === 0 && !list.isUnmetered, noSitesNotice(noSites));
    if (list.vanished.length > 0)
      await inTurns(list.vanished, (address) => this.#backOff.recovered(addressId(address)));
    const { due, skipped } = await this.#plan(run, addresses);
    const outcomes = new SeriesOutcomes<T>(due);
    const book = await run.account().book();
    const options = { signal: run.signal, pc1: list.pc1, isKept: list.isKept };
    const read = (listed: SeriesAddress): Promise<T> => work(listed, () => book.resolve(listed, options));
    await this.#readAll(run, outcomes, read);
    if (addresses.length > 1) this.#remember(outcomes);
    // If the service fails for all, the list has failed for the same reason.
    const oldSites = { status: warningStatus("oldSites"), ...(error && { what: { error } }) };
    if (!outcomes.isFailingForAll) this.#oldList.check(run, error !== undefined, oldSites);
    const results = outcomes.results(skipped, isFresh);
    return addresses.map((address) => results.get(address) as T);
  }

  /**
   * What a run reads: what was not read for longest comes first; of several, what failed comes last. A run that no message
   * triggered skips some of what fails by itself.
   */
  async #plan(
    { isByMessage }: Run,
    addresses: readonly SeriesAddress[],
  ): Promise<{ due: readonly SeriesAddress[]; skipped: readonly Failure[] }> {
    if (addresses.length < 2) return { due: addresses, skipped: [] };
    const now = systemClock.monotonic();
    if (!isByMessage) this.#backOff.beginRun(now);
    const ranked: { address: SeriesAddress; rank: number }[] = [];
    const skipped: Failure[] = [];
    await inTurns(addresses, (address) => {
      const id = addressId(address);
      const failure = isByMessage ? undefined : this.#backOff.skip(id, now);
      const rank = this.#lastRead.get(id) ?? 0;
      if (failure) skipped.push(failure);
      else ranked.push({ address, rank });
    });
    const due = ranked.toSorted((one, other) => one.rank - other.rank).map(({ address }) => address);
    return { due, skipped };
  }

  async #readAll<T>(
    run: Run,
    outcomes: SeriesOutcomes<T>,
    work: (address: SeriesAddress) => Promise<T>,
  ): Promise<void> {
    const { addresses } = outcomes;
    const over = new AbortController();
    const turn = pace(run, addresses.length, over.signal);
    const next = addresses.values();
    // If all of them failed by themselves, each counts again.
    const isAnyWell = addresses.some((address) => !this.#backOff.has(addressId(address)));
    const readOn = async (): Promise<void> => {
      for (const address of next) {
        await turn();
        if (outcomes.isFailingForAll) return;
        const { answers } = outcomes;
        try {
          outcomes.noteResult(address, await work(address));
        } catch (error) {
          if (run.signal.aborted) throw new AbortedError();
          outcomes.noteFailure(address, error, answers, isAnyWell && this.#backOff.has(addressId(address)));
          if (outcomes.isFailingForAll) over.abort();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, addresses.length) }, readOn));
  }

  #remember(outcomes: SeriesOutcomes<unknown>): void {
    this.#runs += 1;
    const now = systemClock.monotonic();
    for (const failure of outcomes.failed) {
      // A service that wants fewer requests says nothing about the series.
      if (failure.error instanceof RateLimitError) continue;
      const id = addressId(failure.address);
      this.#lastRead.set(id, Math.floor(this.#lastRead.get(id) ?? 0) + 0.5);
      if (!outcomes.isFailingForAll) this.#backOff.failed(id, failure, now);
    }
    for (const address of outcomes.well) {
      const id = addressId(address);
      this.#lastRead.set(id, this.#runs);
      this.#backOff.recovered(id);
    }
  }
}

/**
 * Spreads the series of a run over time, so that many of them make no burst of requests.
 * @param over aborts when no other series will start: then no one waits any more
 * @returns resolves when the next series may start. Does not wait while other work does. Rejects with AbortedError
 */
function pace({ signal, hurry, spread }: Run, count: number, over: AbortSignal): () => Promise<void> {
  let due = systemClock.monotonic();
  const spacing = spread ? Math.max(Math.min(spread.maxPause, (spread.until - due) / count), 0) : 0;
  let started = 0;
  return async () => {
    if (signal.aborted) throw new AbortedError();
    started += 1;
    if (started > FREE_STARTS) due += spacing;
    const pause = due - systemClock.monotonic();
    if (pause <= 0) return;
    await withSignal([signal, hurry, over], (either) => sleep(pause, either)).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  };
}

/**
 * For the diagnostics: longest first, with times of the local clock.
 * @param next when the next scheduled run is due, if there is one
 */
function failingParts(backOff: BackOff, next: number | undefined, interval: number): FailingPart[] {
  const offset = systemClock.now() - systemClock.monotonic();
  return backOff.failing.map(({ address, since, error, count, askedAt, runsLeft }) => {
    const { code, statusCode } = errorInfo(error);
    const part = { address, since: since + offset, code, statusCode, count };
    if (next === undefined) return part;
    const latest = askedAt + LONGEST_PAUSE + offset;
    const last = next + Math.max(Math.floor((latest - next) / interval), 0) * interval;
    return { ...part, nextAttempt: Math.min(next + runsLeft * interval, last) };
  });
}
