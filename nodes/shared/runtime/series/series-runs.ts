// Runs over all series of a node: in parallel up to a limit, spread over time, and starting where the last run had to stop.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { sleep, withSignal } from "../../../../src/abort";
import { setNewest } from "../../../../src/bounded-map";
import { latestNow, systemClock } from "../../../../src/clock";
import { AbortedError } from "../../../../src/errors";
import { assertNotFuture } from "../../../../src/history/plan";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import { ALL } from "../../../../src/settings/rules";
import { warningStatus } from "../base/status";
import { noSitesNotice, type Run, StandingNotice } from "../service/service-node";
import { addressesIn, KnownSeries, type SeriesList, siteInTime } from "./known-series";
import { selectionOf, type SystemSettings } from "./selection";
import { SeriesOutcomes } from "./series-outcomes";

/** How many series are read at the same time; the account limits the requests further. */
const MAX_PARALLEL = 16;
/** How many series of a run start at once, however it is spread. */
const FREE_STARTS = 4;
/** How many series are remembered: messages may name any. */
const MAX_TURNS = 100_000;

/**
 * Reads one series, and sends what it has.
 * @param resolve which one that is; rejects with the service's error while that is unknown
 * @param listed the series as the run's list has it
 */
export type SeriesWork<T> = (resolve: () => Promise<ResolvedSeries>, listed: SeriesAddress) => Promise<T>;

interface SeriesRunsOptions {
  /** As that of `KnownSeries`. */
  pc1?: boolean;
  /** Whether what its addresses stand for is kept across restarts. */
  isKept?: boolean;
  /** Called for each series that a run addresses and has not come to read; without an address if none is known, with the error. `isGone`: listed before, and no longer. */
  unread?: (
    run: Run,
    address: SeriesAddress | undefined,
    isGone: boolean,
    error?: unknown,
  ) => Promise<void> | void;
}

export class SeriesRuns {
  readonly #known: KnownSeries;
  readonly #options: SeriesRunsOptions;
  /** Whether each series has failed by itself, and was not read since; a run begins with those whose turn is longest ago: the first. */
  readonly #turns = new Map<string, boolean>();
  readonly #emptyList = new StandingNotice();
  readonly #oldList = new StandingNotice();

  constructor(RED: NodeAPI, node: Node, settings: SystemSettings, options: SeriesRunsOptions = {}) {
    this.#options = options;
    const select = (message: NodeMessage): Promise<SeriesAddress> =>
      selectionOf(RED, node, settings, message);
    this.#known = new KnownSeries(select, options.pc1 === true);
  }

  /**
   * What a run addresses. Rejects like `KnownSeries.list`; then everything that it addressed last is unread.
   * @param check what must succeed before
   */
  async list(run: Run, check?: () => Promise<void> | void): Promise<SeriesList> {
    try {
      if (check) await check();
      return await this.#known.list(run);
    } catch (error) {
      const { unread } = this.#options;
      if (!unread || run.signal.aborted) throw error;
      const list = await this.#known.lastKnown(run);
      if (list.addresses.length === 0 && !list.vanished?.length) await unread(run, undefined, false, error);
      await this.#tellUnread(run, list.addresses, list.vanished);
      throw error;
    }
  }

  /** The series that a run addresses, as far as it is known; undefined if there may be several, or none. Never rejects. */
  async single(run: Run): Promise<SeriesAddress | undefined> {
    const { addresses, selection } = await this.#known.lastKnown(run);
    return selection ? undefined : addresses[0];
  }

  /**
   * As `list`, to be read from a time on. Rejects with TimeRangeError for one in the future, once an answer of the service has settled
   * the time. If none does, reading fails as well, and says why.
   * @param start undefined if the message has no such time
   * @param name the property that holds it
   */
  async listFrom(run: Run, start: number | undefined, name: string): Promise<SeriesList> {
    const list = await this.list(run);
    if (start === undefined) return list;
    const [first] = list.addresses;
    if (first && !run.clock.isSure)
      await siteInTime(run, first.siteId, this.#options.pc1).catch(() => undefined);
    assertNotFuture(start, name, latestNow(run.clock));
    return list;
  }

  /**
   * Does the work for every series, and resolves to their results. A series that fails does not stop the others, unless the service
   * fails for all; the next run reads it last. Rejects with PartialFailure, a single error, or AbortedError.
   * @param isFresh whether a result counts as fresh, for the status
   * @param stored rejects if what was read could not be stored: a full disk is one failure, not one for each system
   */
  async each<T>(
    run: Run,
    list: SeriesList,
    work: SeriesWork<T>,
    isFresh?: (result: T) => boolean,
    stored?: () => Promise<unknown>,
  ): Promise<T[]> {
    const { addresses, error, selection } = list;
    const begun = new Set<SeriesAddress>();
    const outcomes = new SeriesOutcomes<T>(this.#inOrder(addresses));
    try {
      const isEmpty = addresses.length === 0 && !list.isUnmetered;
      const reason = isEmpty ? (await run.service()).noSites : undefined;
      this.#emptyList.check(run, isEmpty, noSitesNotice(reason));
      const { pc1, isKept } = this.#options;
      const book = await run.account().book(pc1);
      const options = { signal: run.signal, isKept };
      // A list need not show the systems of its sites.
      const systemsOf = async (listed: SeriesAddress): Promise<readonly SeriesAddress[]> => {
        if (listed.systemId !== undefined) return [listed];
        const systems = addressesIn(await book.systems(listed.siteId, options), ALL, pc1);
        outcomes.replace(listed, systems);
        return systems;
      };
      await this.#readAll(run, outcomes, selection && systemsOf, (address) =>
        work(async () => {
          const resolved = await book.resolve(address, options);
          begun.add(address);
          return resolved;
        }, address),
      );
      if (stored) await stored().catch((failure: unknown) => (outcomes.storeFailure = { error: failure }));
      if (addresses.length > 1) this.#note(outcomes);
      // If the service fails for all, the list has failed for the same reason.
      const oldSites = { status: warningStatus("oldSites"), ...(error && { what: { error } }) };
      if (!outcomes.isFailingForAll) this.#oldList.check(run, error !== undefined, oldSites);
      return outcomes.all(isFresh);
    } finally {
      await this.#tellUnread(run, outcomes.addresses, list.vanished, begun);
    }
  }

  async #tellUnread(
    run: Run,
    addresses: Iterable<SeriesAddress>,
    vanished: readonly SeriesAddress[] = [],
    begun: ReadonlySet<SeriesAddress> = new Set(),
  ): Promise<void> {
    const { unread } = this.#options;
    if (!unread || run.signal.aborted) return;
    for (const address of addresses) if (!begun.has(address)) await unread(run, address, false);
    for (const address of vanished) await unread(run, address, true);
  }

  /**
   * What was not reached keeps its turn, so that short runs read everything in the end. The next run reads first what failed
   * because the service did, and last what failed by itself. A run of other series changes nothing of that.
   */
  #note({ addresses, failed, results, ownFailures }: SeriesOutcomes<unknown>): void {
    const own = new Set(ownFailures.map(({ address }) => address));
    const missed = new Set(failed.map(({ address }) => address));
    const reached = [missed, results, own].flatMap((group) => [...addresses].filter((one) => group.has(one)));
    for (const one of reached) {
      const isFailing = own.has(one) || (!results.has(one) && this.#isFailing(one));
      setNewest(this.#turns, addressId(one), isFailing, MAX_TURNS);
    }
  }

  #isFailing(address: SeriesAddress): boolean {
    return this.#turns.get(addressId(address)) === true;
  }

  /** New ones come first. */
  #inOrder(addresses: readonly SeriesAddress[]): readonly SeriesAddress[] {
    // A message names one, as a rule, of thousands that have turns.
    if (addresses.length < 2) return addresses;
    const places = new Map([...this.#turns.keys()].map((id, place) => [id, place]));
    const turns = addresses.map((address) => ({ address, turn: places.get(addressId(address)) ?? -1 }));
    return turns.toSorted((one, other) => one.turn - other.turn).map(({ address }) => address);
  }

  /** @param systemsOf those of a site whose systems the list does not show, else the series itself; absent where each names its own */
  async #readAll<T>(
    run: Run,
    outcomes: SeriesOutcomes<T>,
    systemsOf: ((listed: SeriesAddress) => Promise<readonly SeriesAddress[]>) | undefined,
    work: (address: SeriesAddress) => Promise<T>,
  ): Promise<void> {
    const addresses = [...outcomes.addresses];
    const over = new AbortController();
    const nextStart = startTimes(run, addresses.length, over);
    let next = 0;
    const readOn = async (): Promise<void> => {
      for (let address = addresses[next]; address; address = addresses[next]) {
        next += 1;
        const waiting = nextStart();
        if (waiting) await waiting;
        if (outcomes.isFailingForAll) return;
        const { answers } = outcomes;
        try {
          const [first, ...others] = systemsOf ? await systemsOf(address) : [address];
          addresses.push(...others);
          if (!first) continue;
          address = first;
          outcomes.noteResult(address, await work(address));
        } catch (error) {
          if (run.signal.aborted) throw new AbortedError();
          outcomes.noteFailure(address, error, answers, this.#isFailing(address));
          if (outcomes.isFailingForAll) over.abort();
        }
      }
    };
    await Promise.all(addresses.slice(0, MAX_PARALLEL).map(readOn));
  }
}

/**
 * Spreads the series of a run over time, so that many of them make no burst of requests. The function that it returns tells when
 * the next one may start: now if it returns undefined, else when its promise resolves, early if other work waits. Throws AbortedError.
 * @param over aborted when no other series will start: no one waits any more
 */
function startTimes(run: Run, count: number, over: AbortController): () => Promise<void> | undefined {
  const { signal, hurry } = run;
  const now = systemClock.monotonic();
  const { maxPause, until } = run.spread ?? { maxPause: 0, until: now };
  const spacing = Math.max(Math.min(maxPause, (until - now) / count), 0);
  let due = now - FREE_STARTS * spacing;
  return () => {
    if (signal.aborted) throw new AbortedError();
    due += spacing;
    const pause = due - systemClock.monotonic();
    if (pause <= 0) return undefined;
    const waited = withSignal([signal, hurry, over.signal], (either) => sleep(pause, either));
    return waited.catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  };
}
