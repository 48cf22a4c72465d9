// A token request that several callers wait for; aborted once none is left.
import { waitFor } from "../../abort";

export class SharedRequest {
  readonly #result: Promise<void>;
  readonly #abandoned = new AbortController();
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    // Deferred, so that others can find the request before it starts.
    this.#result = Promise.resolve().then(() => work(this.#abandoned.signal));
    this.#result.catch(() => undefined);
  }

  /** Settles with the request, or rejects with AbortedError if the signal or the request aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      await waitFor(this.#result, signal);
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.#abandoned.abort();
    }
  }
}
