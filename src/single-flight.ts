// Work that is done once for all who want its result at the same time.
import { waitFor } from "./abort";
import { AbortedError } from "./errors";

/** For work that is never aborted. */
const NEVER = new AbortController().signal;

/** Work by key. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Promise<Result>>();

  /** Whether no work is in flight. */
  get isIdle(): boolean {
    return this.#flights.size === 0;
  }

  /**
   * Waits for the work in flight with this key, or does it: with the own signal, because one for all who wait would cost each
   * request more than it is worth. If the one who does it leaves, one of the others does it anew. The result is the same object
   * for all of them.
   * @throws AbortedError if the signal aborts; what the work throws
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<Result>, signal = NEVER): Promise<Result> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      const flight = this.#flights.get(key);
      if (!flight) {
        const own = work(signal);
        this.#flights.set(key, own);
        try {
          return await own;
        } finally {
          this.#flights.delete(key);
        }
      }
      try {
        return await waitFor(flight, signal);
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
      }
    }
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
