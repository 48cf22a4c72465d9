// Collects what becomes of each series of a run, and ends the run early where every other series would fail as well.
import {
  AbortedError,
  AuthError,
  ConfigError,
  EnergyError,
  FleetError,
  HttpError,
  isRefusal,
  NetworkError,
  RateLimitError,
  ResponseError,
  ServiceDownError,
  StoreError,
  TimeoutError,
} from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/series/identity";
import { type Failure, PartialFailure } from "../base/errors";

/** How many series in a row have to be without a usable answer. */
const UNCLEAR = 3;

interface SeriesFailure extends Failure {
  readonly address: SeriesAddress;
}

export class SeriesOutcomes<T> {
  readonly #addresses: Set<SeriesAddress>;
  readonly results = new Map<SeriesAddress, T>();
  /** Series that could not be read, whatever failed. */
  readonly failed: SeriesFailure[] = [];
  /** Why what was read could not be stored: one failure, however many series there are. */
  storeFailure: Failure | undefined;
  /** Where the failures begin that may be those of the whole service: the last answer came before them. */
  #rowStart = 0;
  #unclear = 0;
  /** How many series the service has answered: note it before reading one. */
  answers = 0;
  #everyonesError: { readonly error: unknown } | undefined;

  /** @param addresses those to read, in this order */
  constructor(addresses: readonly SeriesAddress[]) {
    this.#addresses = new Set(addresses);
  }

  /** In the order of the run. */
  get addresses(): ReadonlySet<SeriesAddress> {
    return this.#addresses;
  }

  /** For a site whose systems the list does not show. */
  replace(listed: SeriesAddress, systems: readonly SeriesAddress[]): void {
    this.#addresses.delete(listed);
    for (const system of systems) this.#addresses.add(system);
  }

  /** Whether reading other series would fail as well. */
  get isFailingForAll(): boolean {
    return this.#everyonesError !== undefined;
  }

  noteResult(address: SeriesAddress, result: T): void {
    this.results.set(address, result);
    this.#endRow();
  }

  /**
   * @param before `answers` when reading began: if others were answered since, the service does not fail for all
   * @param isKnown whether it failed by itself before, so that it says nothing about the service
   */
  noteFailure(address: SeriesAddress, error: unknown, before: number, isKnown: boolean): void {
    this.failed.push({ error, address });
    const scope = failureScope(error);
    if (scope === "one") return this.#endRow();
    // A service that has answered in this run may fail for a group of series; but a token is the same for all.
    const mayBeAll = this.answers === (error instanceof AuthError ? before : 0);
    if (scope === "unclear" && mayBeAll && !isKnown) this.#unclear += 1;
    const row = this.failed.length - this.#rowStart;
    const isEveryOne = row > 1 && row === this.#addresses.size;
    if (scope === "all" || isEveryOne || this.#unclear >= UNCLEAR) this.#everyonesError ??= { error };
  }

  /**
   * The results, in the order of the run. Throws a single error if the service failed for all, otherwise PartialFailure.
   * @param isFresh whether a result counts as fresh, where that is known
   */
  all(isFresh?: (result: T) => boolean): T[] {
    const total = this.#addresses.size;
    const results: T[] = [];
    for (const address of this.#addresses) {
      const result = this.results.get(address);
      if (result !== undefined) results.push(result);
    }
    const failed = total - results.length;
    const failures: Failure[] = [...this.ownFailures];
    if (this.storeFailure) failures.push(this.storeFailure);
    if (this.#everyonesError) failures.push({ error: fleetError(this.#everyonesError.error, failed, total) });
    const [first, ...others] = failures;
    if (!first) return results;
    const isOfAll = results.length === 0 && (total === 1 || this.isFailingForAll);
    if (others.length === 0 && (isOfAll || first === this.storeFailure)) throw first.error;
    throw new PartialFailure(failures, total, failed, isFresh && results.filter(isFresh).length);
  }

  /** Of single series. */
  get ownFailures(): readonly SeriesFailure[] {
    return this.isFailingForAll ? this.failed.slice(0, this.#rowStart) : this.failed;
  }

  /** The service has answered: what failed before was the failure of single series. */
  #endRow(): void {
    this.answers += 1;
    if (this.isFailingForAll) return;
    this.#rowStart = this.failed.length;
    this.#unclear = 0;
  }
}

/** The account was closed; all systems of a node share one store. */
const OF_ALL = [ConfigError, AbortedError, ServiceDownError, StoreError];
const OF_SERVICE = [RateLimitError, NetworkError, TimeoutError];

/**
 * Whom a failure concerns:
 * - `all`: every other request would fail as well; that the service itself fails for all is decided by the account's breaker
 * - `service`: the service is down or busy, or this site alone has a problem
 * - `unclear`: a token or request that is refused, or an answer that cannot be read: this site alone, or every one of them
 * - `refused`: the service does not show this site (403, 404); it may show none, but that is known only when all were requested
 * - `one`: only this site
 */
function failureScope(error: unknown) {
  const isOfAccount = error instanceof EnergyError && error.isOfAccount;
  if (isOfAccount || OF_ALL.some((kind) => error instanceof kind)) return "all";
  if (OF_SERVICE.some((kind) => error instanceof kind)) return "service";
  if (isRefusal(error)) return "refused";
  if (error instanceof HttpError) return (error.details.statusCode ?? 0) >= 500 ? "service" : "unclear";
  return error instanceof AuthError || error instanceof ResponseError ? "unclear" : "one";
}

/** Says for how many sites the service failed, if that is what happened, and not what is left of the first of them. */
function fleetError(error: unknown, failed: number, total: number): unknown {
  if (!(error instanceof EnergyError) || total === 1) return error;
  const ofAll = error.withRemaining(undefined);
  const scope = failureScope(error);
  // What is wrong with the account concerns no site.
  if (scope === "all" && !(error instanceof ServiceDownError)) return ofAll;
  return new FleetError(ofAll, failed, total, scope === "service");
}
