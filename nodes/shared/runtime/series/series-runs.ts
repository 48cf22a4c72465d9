// Runs over all series of a node: in parallel up to a limit, spread over time, and starting where the last run had to stop.
import type { Node, NodeAPI } from "node-red";
import { AbortedError } from "../../../../src/errors";
import { type SeriesAddress, seriesId } from "../../../../src/ledger/record-id";
import type { SystemDef } from "./address";
import { KnownSeries, type LastKnownSeries, type SeriesList } from "./known-series";
import { Pace } from "./pace";
import { type Health, SeriesOutcomes } from "./series-outcomes";
import type { Run } from "../service-node";
import { NO_SITES, OLD_SITES } from "../status";

/** How many series are read at the same time; the account limits the requests further. */
const MAX_PARALLEL = 16;

export class SeriesRuns {
  readonly #known: KnownSeries;
  /** What became of each series when it was last asked for, and the last run that read it. */
  readonly #health = new Map<string, Health>();
  readonly #lastRead = new Map<string, number>();
  #runs = 0;

  constructor(RED: NodeAPI, node: Node, config: SystemDef) {
    this.#known = new KnownSeries(RED, node, config);
  }

  /** What a run addresses. Rejects like `KnownSeries.list`. */
  list(run: Run, pc1 = false): Promise<SeriesList> {
    return this.#known.list(run, pc1);
  }

  /** What a run addresses without asking the service. Rejects like `KnownSeries.lastKnown`. */
  lastKnown(run: Run): Promise<LastKnownSeries> {
    return this.#known.lastKnown(run);
  }

  /**
   * Does the work for every series, and resolves to the results in the order of the list. A series that fails does not
   * stop the others, unless the service fails for all. Rejects with PartialFailure, a single error, or AbortedError.
   */
  async each<T>(run: Run, list: SeriesList, work: (address: SeriesAddress) => Promise<T>): Promise<T[]> {
    const { addresses } = list;
    if (addresses.length === 0) run.notify({ status: NO_SITES });
    const outcomes = new SeriesOutcomes<T>(this.#inOrder(addresses), (one) => this.#healthOf(one));
    await this.#readAll(run, outcomes, work);
    if (addresses.length > 1) this.#remember(outcomes);
    // If the service fails for all, the list has failed for the same reason.
    if (!outcomes.isFailingForAll) reportOldList(run, list);
    const results = outcomes.results();
    return addresses.map((address) => results.get(address) as T);
  }

  async #readAll<T>(
    run: Run,
    outcomes: SeriesOutcomes<T>,
    work: (address: SeriesAddress) => Promise<T>,
  ): Promise<void> {
    const { addresses } = outcomes;
    const pace = new Pace(run, addresses.length);
    const next = addresses.values();
    const readOn = async (): Promise<void> => {
      for (const address of next) {
        await pace.turn();
        if (outcomes.isFailingForAll) return;
        const { answers } = outcomes;
        try {
          outcomes.succeeded(address, await work(address));
        } catch (error) {
          if (run.signal.aborted) throw new AbortedError();
          outcomes.failed(address, error, answers);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, addresses.length) }, readOn));
  }

  /** What was not read for longest comes first; of several, what failed comes last. */
  #inOrder(addresses: readonly SeriesAddress[]): SeriesAddress[] {
    const rankOf = (address: SeriesAddress): number =>
      2 * (this.#lastRead.get(idOf(address)) ?? 0) + Number(this.#healthOf(address) === "failing");
    return addresses
      .map((address) => ({ address, rank: rankOf(address) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ address }) => address);
  }

  #remember(outcomes: SeriesOutcomes<unknown>): void {
    this.#runs += 1;
    for (const address of outcomes.failing) this.#health.set(idOf(address), "failing");
    for (const address of outcomes.well) {
      this.#health.set(idOf(address), "well");
      this.#lastRead.set(idOf(address), this.#runs);
    }
  }

  #healthOf(address: SeriesAddress): Health {
    return this.#health.get(idOf(address)) ?? "unknown";
  }
}

/** Says that the run used the last list: to a message each time, on a schedule once. */
function reportOldList(run: Run, list: SeriesList): void {
  const { error } = list;
  if (!error) return;
  const isKnown = list.wasReported && !run.isTriggered;
  run.notify({ status: OLD_SITES, ...(isKnown ? {} : { what: { error } }) });
  list.wasReported = true;
}

function idOf(address: SeriesAddress): string {
  return seriesId(address, "telemetry");
}
