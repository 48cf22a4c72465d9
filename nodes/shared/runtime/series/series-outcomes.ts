// Collects what becomes of each series of a run, and ends the run early where every other series would fail as well.
import {
  AbortedError,
  AuthError,
  ConfigError,
  EnergyError,
  FleetError,
  HttpError,
  NetworkError,
  RateLimitError,
  ResponseError,
  ServiceDownError,
  StoreError,
  TimeoutError,
} from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/series/identity";
import { type Failure, PartialFailure } from "../base/errors";

/** How many series in a row have to be refused. */
const REFUSALS = 3;
/** A service that answered in this run and now refuses series may do so to a group of them. */
const LATER_REFUSALS = 30;

interface SeriesFailure extends Failure {
  readonly address: SeriesAddress;
}

export class SeriesOutcomes<T> {
  /** In the order of the run. */
  readonly addresses: readonly SeriesAddress[];
  readonly #results = new Map<SeriesAddress, T>();
  /** Failures of a single series. */
  readonly #failures: SeriesFailure[] = [];
  /** Failures since the last response that may be those of the whole service. */
  #row: SeriesFailure[] = [];
  /** The share of the refusals that it takes to show that the service refuses all. */
  #refused = 0;
  #answers = 0;
  #everyonesFailure: Failure | undefined;

  /** @param addresses those to read, in this order */
  constructor(addresses: readonly SeriesAddress[]) {
    this.addresses = addresses;
  }

  /** Whether reading other series would fail as well. */
  get isFailingForAll(): boolean {
    return this.#everyonesFailure !== undefined;
  }

  /** Series that could not be read, whoever they failed for. */
  get failed(): readonly SeriesFailure[] {
    return [...this.#failures, ...this.#row];
  }

  /** Series that were read. */
  get well(): readonly SeriesAddress[] {
    return [...this.#results.keys()];
  }

  /** How many series the service has answered: note it before reading one. */
  get answers(): number {
    return this.#answers;
  }

  noteResult(address: SeriesAddress, result: T): void {
    this.#results.set(address, result);
    this.#endRow();
  }

  /**
   * @param before `answers` when reading began: if others were answered since, the service does not fail for all
   * @param isKnown whether it failed by itself before, so that it says nothing about the service
   */
  noteFailure(address: SeriesAddress, error: unknown, before: number, isKnown = false): void {
    const scope = failureScope(error);
    if (scope === "one") {
      this.#failures.push({ error, address });
      this.#endRow();
      return;
    }
    this.#row.push({ error, address });
    // A token is the same for all.
    const isLater = this.#answers > 0 && !(error instanceof AuthError);
    if (scope === "refused" && !isKnown && this.#answers === before)
      this.#refused += 1 / (isLater ? LATER_REFUSALS : REFUSALS);
    const isEveryOne = this.#row.length > 1 && this.#row.length === this.addresses.length;
    if (scope === "all" || isEveryOne || this.#refused > 0.999) this.#everyonesFailure ??= { error };
  }

  /**
   * The result of each series. Throws a single error if the service failed for all, otherwise PartialFailure.
   * @param skipped those that fail by themselves, and were left out
   * @param isFresh whether a result counts as fresh, where that is known
   */
  results(skipped: readonly Failure[], isFresh?: (result: T) => boolean): ReadonlyMap<SeriesAddress, T> {
    const total = this.addresses.length + skipped.length;
    const failed = total - this.#results.size;
    const everyones = this.#everyonesFailure && {
      error: fleetError(this.#everyonesFailure.error, failed, total),
    };
    const failures: Failure[] = everyones ? [...this.#failures, everyones] : [...this.failed];
    const [first, ...others] = failures;
    if (!first && failed === 0) return this.#results;
    const isOnly = others.length === 0 && this.#results.size === 0 && (total === 1 || this.isFailingForAll);
    if (first && isOnly) throw first.error;
    const fresh = isFresh && [...this.#results.values()].filter(isFresh).length;
    throw new PartialFailure([...skipped, ...failures], total, failed, total > 1 ? fresh : undefined);
  }

  /** The service has answered: what failed before was the failure of single series. */
  #endRow(): void {
    this.#answers += 1;
    if (this.isFailingForAll) return;
    this.#failures.push(...this.#row);
    this.#row = [];
    this.#refused = 0;
  }
}

/**
 * - `all`: every other request would fail as well; that the service itself fails for all is decided by the account's breaker
 * - `service`: the service is down or busy, or this site alone has a problem
 * - `refused`: the service refuses everything, as with a wrong address, or this site alone
 * - `one`: only this site
 */
type FailureScope = "all" | "service" | "refused" | "one";

function failureScope(error: unknown): FailureScope {
  // The account was closed; all systems of a node share one store.
  const isOfAll = [ConfigError, AbortedError, ServiceDownError, StoreError].some(
    (kind) => error instanceof kind,
  );
  if (isOfAll || (error instanceof AuthError && error.scope === "account")) return "all";
  if ([RateLimitError, NetworkError, TimeoutError].some((kind) => error instanceof kind)) return "service";
  if (error instanceof HttpError) return (error.details.statusCode ?? 0) >= 500 ? "service" : "refused";
  return error instanceof AuthError || error instanceof ResponseError ? "refused" : "one";
}

/** Says for how many sites the service failed, if that is what happened. */
function fleetError(error: unknown, failed: number, total: number): unknown {
  const isService = error instanceof ServiceDownError || failureScope(error) === "service";
  return isService && error instanceof EnergyError && total > 1
    ? new FleetError(error, failed, total)
    : error;
}
