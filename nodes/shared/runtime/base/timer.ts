// A timer for the next due time: it can be rescheduled at any time, and checks the clock regularly.
import { type Clock, sharedClock } from "../../../../src/clock";

/** The clock may be set or the machine may sleep, so the timer fires at least this often, in milliseconds. */
const MAX_WAIT = 60_000;

export class DueTimer {
  #timer: NodeJS.Timeout | undefined;
  readonly #onTimeout: () => void;
  readonly #clock: Clock;
  #isClosed = false;

  /**
   * `onTimeout` may be called early: it must check what is due, by the same clock, and set the timer again. It must not throw.
   */
  constructor(onTimeout: () => void, clock: Clock = sharedClock) {
    this.#onTimeout = onTimeout;
    this.#clock = clock;
  }

  /** `due` is in milliseconds by the clock of the timer; undefined stops it. */
  set(due: number | undefined): void {
    clearTimeout(this.#timer);
    if (due === undefined || this.#isClosed) return;
    const wait = Math.min(Math.max(due - this.#clock.now(), 0), MAX_WAIT);
    this.#timer = setTimeout(this.#onTimeout, wait);
  }

  /** Stops the timer for good, whatever work that is still going on sets. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
