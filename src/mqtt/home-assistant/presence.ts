// Tracks which devices have a fresh record, and when to publish their availability and state. All times in milliseconds.

interface DeviceTimes {
  freshUntil: number;
  /** When to report what time has changed, such as whether the device is available, first or again. */
  reportAt: number;
  /** When to repeat the current state. */
  repeatAt: number;
  /** What was last published of its availability, and when. */
  said?: { isFresh: boolean; at: number } | undefined;
}

/** A device to report now. */
interface DueDevice {
  id: string;
  /** Whether its state is due too, not only its availability. */
  isRepeated: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

export class Presence {
  readonly #devices = new Map<string, DeviceTimes>();
  readonly #expireAfter: number;

  constructor(expireAfter: number) {
    this.#expireAfter = expireAfter;
  }

  /** Notes a record that is fresh until then. */
  seen(id: string, until: number): void {
    const times = this.#timesOf(id);
    times.freshUntil = times.reportAt = Math.max(until, times.freshUntil);
  }

  /** Schedules a report, in the place of any other. */
  report(id: string, at: number): void {
    this.#timesOf(id).reportAt = at;
  }

  /** Schedules the first report that the device is stale, unless it has a fresh record by then. */
  expect(id: string, at: number): void {
    const times = this.#timesOf(id);
    if (times.reportAt === NEVER) times.reportAt = at;
  }

  /** Schedules the current state to be repeated; until then, nothing of it counts as published. */
  repeat(id: string, at: number): void {
    Object.assign(this.#timesOf(id), { repeatAt: at, said: undefined });
  }

  /** Notes that the availability is published. */
  said(id: string, isFresh: boolean, at: number): void {
    this.#timesOf(id).said = { isFresh, at };
  }

  /** Whether the availability is another than the one published, or that was half of `expireAfter` ago. */
  isNews(id: string, now: number): boolean {
    const said = this.#devices.get(id)?.said;
    return said?.isFresh !== this.isFresh(id, now) || Math.abs(now - said.at) >= this.#expireAfter / 2;
  }

  isFresh(id: string, now: number): boolean {
    return now < (this.#devices.get(id)?.freshUntil ?? 0);
  }

  /** The devices that are due now, each returned once. One that stays stale is due again after `expireAfter`. */
  popDue(now: number): DueDevice[] {
    const due = [...this.#devices].filter(([, times]) => dueTime(times) <= now);
    return due.map(([id, times]) => {
      const isRepeated = times.repeatAt <= now;
      if (isRepeated) times.repeatAt = NEVER;
      if (times.reportAt <= now)
        times.reportAt = this.isFresh(id, now) ? times.freshUntil : now + this.#expireAfter;
      return { id, isRepeated };
    });
  }

  /** When a device is due next; infinite = never. */
  next(): number {
    let next = NEVER;
    for (const times of this.#devices.values()) next = Math.min(next, dueTime(times));
    return next;
  }

  forget(id: string): void {
    this.#devices.delete(id);
  }

  #timesOf(id: string): DeviceTimes {
    const times = this.#devices.get(id) ?? { freshUntil: 0, reportAt: NEVER, repeatAt: NEVER };
    this.#devices.set(id, times);
    return times;
  }
}

function dueTime({ reportAt, repeatAt }: DeviceTimes): number {
  return Math.min(reportAt, repeatAt);
}
