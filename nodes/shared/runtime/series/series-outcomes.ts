// Collects what becomes of each series of a run, and notices when the service fails for all of them.
import { AuthError, EnergyError, FleetError, ServiceDownError } from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { type Failure, PartialFailure } from "../base/errors";
import { failureScope } from "./failure-scope";

/** What the last run says of a series. One that failed then, too, is no evidence that the service fails for all. */
export type Health = "well" | "unknown" | "failing";

/** Three failures in a row of series that were well, or six of unknown ones, show that the service fails for all. */
const EVIDENCE: Readonly<Record<Health, number>> = { well: 20, unknown: 10, failing: 0 };
const ENOUGH_EVIDENCE = 60;
/** A service that answered in this run and now refuses series may do so to a group of them: it takes ten times as many. */
const REFUSED_LATER = 1 / 10;

export class SeriesOutcomes<T> {
  /** In the order of the run. */
  readonly addresses: readonly SeriesAddress[];
  readonly #healthOf: (address: SeriesAddress) => Health;
  readonly #limit: number;
  readonly #results = new Map<SeriesAddress, T>();
  /** Failures of a single series. */
  readonly #failures: Failure[] = [];
  /** Failures since the last response that may be those of the whole service. */
  #row: Failure[] = [];
  /** What they show. */
  #evidence = 0;
  /** How many series the service has answered. */
  #answers = 0;
  #everyonesFailure: Failure | undefined;
  readonly #failed = new Map<SeriesAddress, unknown>();
  readonly #skipped: readonly Failure[];

  /**
   * @param addresses those to read, in this order
   * @param skipped those that fail by themselves, and are left out
   */
  constructor(
    addresses: readonly SeriesAddress[],
    healthOf: (address: SeriesAddress) => Health,
    skipped: readonly Failure[] = [],
  ) {
    this.addresses = addresses;
    this.#skipped = skipped;
    // If all of them failed in the last run, each counts again.
    const isNoneWell = addresses.every((address) => healthOf(address) === "failing");
    this.#healthOf = isNoneWell ? () => "well" : healthOf;
    const weights = addresses
      .map((address) => EVIDENCE[this.#healthOf(address)])
      .filter((weight) => weight > 0);
    const most = weights.reduce((sum, weight) => sum + weight, 0);
    // One or two of many may fail by themselves.
    const isEnough = weights.length >= Math.min(3, addresses.length);
    this.#limit = isEnough ? Math.min(ENOUGH_EVIDENCE, most) : Number.POSITIVE_INFINITY;
  }

  /** Whether reading other series would fail as well. */
  get isFailingForAll(): boolean {
    return this.#everyonesFailure !== undefined;
  }

  /** Series that were asked for in vain, with the error. */
  get failing(): ReadonlyMap<SeriesAddress, unknown> {
    return this.#failed;
  }

  /** Series that were read. */
  get well(): readonly SeriesAddress[] {
    return [...this.#results.keys()];
  }

  /** How many series the service has answered: note it before reading one. */
  get answers(): number {
    return this.#answers;
  }

  succeeded(address: SeriesAddress, result: T): void {
    this.#results.set(address, result);
    this.#endRow();
  }

  /** @param before `answers` when reading began: if others were answered since, the service does not fail for all */
  failed(address: SeriesAddress, error: unknown, before: number): void {
    const scope = failureScope(error);
    // A service that wants fewer requests says nothing about the series.
    if (scope !== "busy") this.#failed.set(address, error);
    if (scope === "one") {
      this.#failures.push({ error, address });
      this.#endRow();
      return;
    }
    this.#row.push({ error, address });
    const isEvidence = this.#answers === before;
    // A token is the same for all.
    const isLater = scope === "refused" && this.#answers > 0 && !(error instanceof AuthError);
    if (isEvidence) this.#evidence += EVIDENCE[this.#healthOf(address)] * (isLater ? REFUSED_LATER : 1);
    if (scope === "all" || (isEvidence && this.#evidence >= this.#limit))
      this.#everyonesFailure ??= { error };
  }

  /**
   * The result of each series. Throws a single error if the service failed for all, otherwise PartialFailure.
   * @param isFresh whether a result counts as fresh, where that is known
   */
  results(isFresh?: (result: T) => boolean): ReadonlyMap<SeriesAddress, T> {
    const total = this.addresses.length + this.#skipped.length;
    const failed = total - this.#results.size;
    const everyones = this.#everyonesFailure && {
      error: fleetError(this.#everyonesFailure.error, failed, total),
    };
    const failures = [...this.#failures, ...(everyones ? [everyones] : this.#row)];
    const [first, ...others] = failures;
    if (!first && failed === 0) return this.#results;
    const isOnly = others.length === 0 && this.#results.size === 0 && (total === 1 || this.isFailingForAll);
    if (first && isOnly) throw first.error;
    const fresh = isFresh && [...this.#results.values()].filter(isFresh).length;
    throw new PartialFailure([...this.#skipped, ...failures], total, failed, total > 1 ? fresh : undefined);
  }

  /** The service has answered: what failed before was the failure of single series. */
  #endRow(): void {
    this.#answers += 1;
    if (this.isFailingForAll) return;
    this.#failures.push(...this.#row);
    this.#row = [];
    this.#evidence = 0;
  }
}

/** Says for how many sites the service failed, if that is what happened. */
function fleetError(error: unknown, failed: number, total: number): unknown {
  const scope = failureScope(error);
  const isService = error instanceof ServiceDownError || scope === "down" || scope === "busy";
  return isService && error instanceof EnergyError && total > 1
    ? new FleetError(error, failed, total)
    : error;
}
