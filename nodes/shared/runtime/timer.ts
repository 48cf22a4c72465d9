// One timer for the next thing that is due: it can be set again at any time, and checks the clock now and then.
import { systemClock } from "../../../src/clock";

/** The clock may be set or the machine may sleep, so the timer fires after this many milliseconds at the latest. */
const LONGEST_WAIT = 60_000;

export class DueTimer {
  #timer: NodeJS.Timeout | undefined;
  readonly #onTimeout: () => void;

  /** `onTimeout` finds out what is due and sets the timer again, because it may be called early. It never throws. */
  constructor(onTimeout: () => void) {
    this.#onTimeout = onTimeout;
  }

  /** `due` in milliseconds since the epoch; undefined stops the timer. */
  set(due: number | undefined): void {
    clearTimeout(this.#timer);
    if (due === undefined) return;
    const wait = Math.min(Math.max(due - systemClock.now(), 0), LONGEST_WAIT);
    this.#timer = setTimeout(this.#onTimeout, wait);
  }
}
