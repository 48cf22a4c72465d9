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
  #isClosed = false;

  /** Whether no work is in flight. */
  get isIdle(): boolean {
    return this.#flights.size === 0;
  }

  /** Aborts all work, and later work at once. */
  close(): void {
    this.#isClosed = true;
    for (const { abandoned } of this.#flights.values()) abandoned.abort();
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
    if (this.#isClosed || signal?.aborted) throw new AbortedError();
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiting += 1;
    try {
      return await (signal ? waitFor(flight.result, signal) : flight.result);
    } finally {
      flight.waiting -= 1;
      // Work that has ended has been removed: aborting it would make an error that nobody sees, at the cost of a request.
      if (flight.waiting === 0 && this.#remove(key, flight)) flight.abandoned.abort();
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const abandoned = new AbortController();
    const flight = { result: work(abandoned.signal), abandoned, waiting: 0 };
    this.#flights.set(key, flight);
    const remove = (): boolean => this.#remove(key, flight);
    flight.result.then(remove, remove);
    return flight;
  }

  #remove(key: string, flight: Flight<Result>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
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
