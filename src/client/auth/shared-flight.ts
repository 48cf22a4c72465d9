// Work that several callers wait for together; it is given up when none of them waits any longer.
import { waitFor } from "../../waiting";

export class SharedFlight {
  private readonly work: Promise<void>;
  private readonly controller = new AbortController();
  private waiters = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.work = work(this.controller.signal);
    // A flight that nobody waits for any longer fails unheard.
    this.work.catch(() => undefined);
  }

  /** Settles with the work, or rejects with AbortedError when the signal aborts or the work was given up. */
  async join(signal: AbortSignal): Promise<void> {
    this.waiters++;
    try {
      await waitFor(this.work, signal);
    } finally {
      this.waiters--;
      if (this.waiters === 0) this.controller.abort();
    }
  }
}
