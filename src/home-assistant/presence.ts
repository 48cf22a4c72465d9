// Which devices have a fresh record, and when the next of them is to be told about. All times in milliseconds.

interface Standing {
  freshUntil: number;
  /** Nothing is to be said before: then the device has become stale, or is still. */
  quietUntil: number;
  /** When the present state is to be told once more. */
  repeatAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export class Presence {
  readonly #standings = new Map<string, Standing>();

  constructor(private readonly expireAfter: number) {}

  /** Takes a device that may be new: it has its time to bring a fresh record. */
  expect(id: string, now: number): void {
    if (!this.#standings.has(id))
      this.#standings.set(id, { freshUntil: 0, quietUntil: now + this.expireAfter, repeatAt: NEVER });
  }

  /** Takes a fresh record that ended at `end`. */
  seen(id: string, end: number): void {
    const known = this.#standings.get(id);
    const freshUntil = Math.max(end + this.expireAfter, known?.freshUntil ?? 0);
    this.#standings.set(id, { freshUntil, quietUntil: freshUntil, repeatAt: known?.repeatAt ?? NEVER });
  }

  repeat(id: string, at: number): void {
    const known = this.#standings.get(id);
    if (known) known.repeatAt = at;
  }

  isFresh(id: string, now: number): boolean {
    return now < (this.#standings.get(id)?.freshUntil ?? 0);
  }

  /** The devices that are to be told about by now. One that stays stale is due again and again. */
  takeDue(now: number): string[] {
    const due = [...this.#standings].filter(([, standing]) => dueTime(standing) <= now);
    for (const [id, standing] of due) {
      standing.repeatAt = NEVER;
      if (!this.isFresh(id, now)) standing.quietUntil = now + this.expireAfter;
    }
    return due.map(([id]) => id);
  }

  next(): number | undefined {
    const next = Math.min(...[...this.#standings.values()].map(dueTime));
    return next === NEVER ? undefined : next;
  }

  forget(id: string): void {
    this.#standings.delete(id);
  }
}

function dueTime({ quietUntil, repeatAt }: Standing): number {
  return Math.min(quietUntil, repeatAt);
}
