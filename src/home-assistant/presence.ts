// Tracks which devices have a fresh record, and when to publish their state. All times in milliseconds.

interface DeviceTimes {
  freshUntil: number;
  /** When to report the device as stale, first or again. */
  staleAt: number;
  /** When to republish the current state. */
  repeatAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export class Presence {
  readonly #devices = new Map<string, DeviceTimes>();
  readonly #expireAfter: number;

  constructor(expireAfter: number) {
    this.#expireAfter = expireAfter;
  }

  /** Adds a device, if new. It becomes stale unless it sends a fresh record within `expireAfter`. */
  expect(id: string, now: number): void {
    if (!this.#devices.has(id))
      this.#devices.set(id, { freshUntil: 0, staleAt: now + this.#expireAfter, repeatAt: NEVER });
  }

  /** Notes a fresh record that ended at `end`. */
  seen(id: string, end: number): void {
    const known = this.#devices.get(id);
    const freshUntil = Math.max(end + this.#expireAfter, known?.freshUntil ?? 0);
    this.#devices.set(id, { freshUntil, staleAt: freshUntil, repeatAt: known?.repeatAt ?? NEVER });
  }

  /** Schedules the current state to be republished. */
  repeat(id: string, at: number): void {
    const known = this.#devices.get(id);
    if (known) known.repeatAt = at;
  }

  isFresh(id: string, now: number): boolean {
    return now < (this.#devices.get(id)?.freshUntil ?? 0);
  }

  /** The devices whose state is due now, each returned once. One that stays stale is due again after `expireAfter`. */
  popDue(now: number): string[] {
    const due = [...this.#devices].filter(([, times]) => dueTime(times) <= now);
    for (const [id, times] of due) {
      times.repeatAt = NEVER;
      if (!this.isFresh(id, now)) times.staleAt = now + this.#expireAfter;
    }
    return due.map(([id]) => id);
  }

  /** When a device is due next; undefined = never. */
  next(): number | undefined {
    const next = Math.min(...[...this.#devices.values()].map(dueTime));
    return next === NEVER ? undefined : next;
  }

  forget(id: string): void {
    this.#devices.delete(id);
  }
}

function dueTime({ staleAt, repeatAt }: DeviceTimes): number {
  return Math.min(staleAt, repeatAt);
}
