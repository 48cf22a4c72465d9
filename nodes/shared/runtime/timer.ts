// One timer for what is due some day: it may be set anew at any time, and looks at the clock now and then.

/** The clock may have been set, or the machine have slept: it rings after this long at the latest, in milliseconds. */
const LONGEST_SLEEP = 60_000;

export class Alarm {
  #timer: NodeJS.Timeout | undefined;

  /** `ring` finds out what is due, and sets the alarm anew: it may be called early. Never throws. */
  constructor(private readonly ring: () => void) {}

  /** Rings once it is `due` (milliseconds since the epoch); undefined = no more. */
  set(due: number | undefined): void {
    clearTimeout(this.#timer);
    if (due === undefined) return;
    const wait = Math.min(Math.max(due - Date.now(), 0), LONGEST_SLEEP);
    this.#timer = setTimeout(this.ring, wait);
  }
}
