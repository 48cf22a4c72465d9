// Collects what becomes of each series of a run, and notices when the service fails for all of them.
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { type Failure, PartialFailure } from "./failures";
import { failureScope } from "./failure-scope";

/** How many series in a row show that the service fails for all of them. */
const FAILURES_IN_A_ROW = 3;

export class SeriesOutcomes<T> {
  readonly #addresses: readonly SeriesAddress[];
  readonly #limit: number;
  readonly #results = new Map<SeriesAddress, T>();
  /** Failures of a single series. */
  readonly #failures: Failure[] = [];
  /** Failures since the last response that may be those of the whole service. */
  #row: Failure[] = [];
  /** How many of them began after the last response. */
  #unanswered = 0;
  /** How many series the service has answered. */
  #answers = 0;
  #everyonesFailure: Failure | undefined;
  /** Series that had their turn, whether or not they failed. */
  readonly #served = new Set<SeriesAddress>();

  constructor(addresses: readonly SeriesAddress[]) {
    this.#addresses = addresses;
    this.#limit = Math.min(FAILURES_IN_A_ROW, addresses.length);
  }

  /** Whether reading other series would fail as well. */
  get isFailingForAll(): boolean {
    return this.#everyonesFailure !== undefined;
  }

  /** Series for which the run had no time, or the service no answer. */
  get unserved(): readonly SeriesAddress[] {
    return this.#addresses.filter((address) => !this.#served.has(address));
  }

  /** How many series the service has answered: note it before reading one. */
  get answers(): number {
    return this.#answers;
  }

  succeeded(address: SeriesAddress, result: T): void {
    this.#served.add(address);
    this.#results.set(address, result);
    this.#endRow();
  }

  /** @param before `answers` when reading began: if others were answered since, the service does not fail for all */
  failed(address: SeriesAddress, error: unknown, before: number): void {
    const scope = failureScope(error);
    if (scope === "one") {
      this.#served.add(address);
      this.#failures.push({ error, address });
      this.#endRow();
      return;
    }
    this.#row.push({ error, address });
    if (this.#answers === before) this.#unanswered += 1;
    if (scope === "all" || this.#unanswered >= this.#limit) this.#everyonesFailure ??= { error };
  }

  /** The result of each series. Throws a single error if the service failed for all, otherwise PartialFailure. */
  results(): ReadonlyMap<SeriesAddress, T> {
    const { length } = this.#addresses;
    const failures = [...this.#failures, ...(this.#everyonesFailure ? [this.#everyonesFailure] : this.#row)];
    const [first, ...others] = failures;
    if (!first) return this.#results;
    const isOnly = others.length === 0 && this.#results.size === 0 && (length === 1 || this.isFailingForAll);
    throw isOnly ? first.error : new PartialFailure(failures, length, length - this.#results.size);
  }

  /** The service has answered: what failed before was the failure of single series. */
  #endRow(): void {
    this.#answers += 1;
    if (this.isFailingForAll) return;
    this.#failures.push(...this.#row);
    this.#row = [];
    this.#unanswered = 0;
  }
}
