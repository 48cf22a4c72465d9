// Which devices have a fresh record, and whose state is to be published when. All times in milliseconds.

interface DeviceTimes {
  freshUntil: number;
  /** When the device is reported as stale, for the first time or again. */
  staleAt: number;
  /** When the present state is published once more. */
  repeatAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export class Presence {
  readonly #devices = new Map<string, DeviceTimes>();
  readonly #expireAfter: number;

  constructor(expireAfter: number) {
    this.#expireAfter = expireAfter;
  }

  /** Adds a device unless it is known. It has `expireAfter` to send a fresh record. */
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

  repeat(id: string, at: number): void {
    const known = this.#devices.get(id);
    if (known) known.repeatAt = at;
  }

  isFresh(id: string, now: number): boolean {
    return now < (this.#devices.get(id)?.freshUntil ?? 0);
  }

  /** The devices whose state is to be published now. One that stays stale is due again and again. */
  takeDue(now: number): string[] {
    const due = [...this.#devices].filter(([, times]) => dueTime(times) <= now);
    for (const [id, times] of due) {
      times.repeatAt = NEVER;
      if (!this.isFresh(id, now)) times.staleAt = now + this.#expireAfter;
    }
    return due.map(([id]) => id);
  }

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
