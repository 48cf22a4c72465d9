// The events of alerts that wait, each to be published once: until Home Assistant has subscribed, and apart from each other.
import type { Publication } from "../publications";

/** The state of an event is its time in milliseconds: of two within one, an automation misses the second. In milliseconds. */
const SPACING = 20;

/** Beyond these, the oldest wait no longer. */
const MAX_WAITING = 10_000;

/** Times in milliseconds. */
interface WaitingEvent {
  event: Publication;
  since: number;
  delay: number;
}

export class EventQueue {
  #waiting: WaitingEvent[] = [];
  /** The last events, by topic. */
  readonly #sentAt = new Map<string, number>();

  /** Whether an event waits for longer than for the one before. */
  get isDelayed(): boolean {
    return this.#waiting.some(({ delay }) => delay > 0);
  }

  add(event: Publication, since: number, delay: number): void {
    this.#waiting.push({ event, since, delay });
  }

  /** What may be published now. */
  due(now: number): Publication[] {
    const due: Publication[] = [];
    const tooMany = this.#waiting.length - MAX_WAITING;
    // A clock that has been set back must not delay events by as much.
    const hasPassed = (since: number, delay: number): boolean => Math.abs(now - since) >= delay;
    for (const [topic, at] of this.#sentAt) if (hasPassed(at, SPACING)) this.#sentAt.delete(topic);
    this.#waiting = this.#waiting.filter(({ event, since, delay }, index) => {
      const isDue = hasPassed(since, delay) && !this.#sentAt.has(event.topic);
      if (!isDue && index >= tooMany) return true;
      this.#sentAt.set(event.topic, now);
      due.push(event);
      return false;
    });
    return due;
  }

  /** When to call `due` next; infinite = never. */
  next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { event, since, delay } of this.#waiting)
      next = Math.min(next, Math.max(since + delay, (this.#sentAt.get(event.topic) ?? 0) + SPACING));
    return next;
  }
}
