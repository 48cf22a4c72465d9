// Work that is done once for all who want its result at the same time.
import { waitFor } from "./abort";
import { AbortedError } from "./errors";

interface Flight<Result> {
  result: Promise<Result>;
  /** Aborts when all who waited have left. */
  readonly abandoned: AbortController;
  waiting: number;
}

/** Work by key. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** Whether no work is in flight. */
  get isIdle(): boolean {
    return this.#flights.size === 0;
  }

  /**
   * Joins the work in flight with this key, or starts it. It is aborted once all who wait for it have left. The result is the
   * same object for all of them.
   * @throws AbortedError if the signal aborts; what the work throws
   */
  async run(
    key: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (signal?.aborted) throw new AbortedError();
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiting += 1;
    try {
      return await (signal ? waitFor(flight.result, signal) : flight.result);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        this.#remove(key, flight);
        flight.abandoned.abort();
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const abandoned = new AbortController();
    const flight = { result: work(abandoned.signal), abandoned, waiting: 0 };
    this.#flights.set(key, flight);
    const remove = (): void => this.#remove(key, flight);
    flight.result.then(remove, remove);
    return flight;
  }

  #remove(key: string, flight: Flight<Result>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** Does the work on the first call, and keeps its result for all later ones. After a failure, the next call tries again. */
export function cachedPromise<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
