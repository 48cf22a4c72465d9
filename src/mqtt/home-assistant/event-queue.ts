// The events of alerts that wait, each to be published once: until Home Assistant has subscribed, and apart from each other.
import type { Publication } from "../publications";

/** The state of an event is its time in milliseconds: of two within one, an automation misses the second. In milliseconds. */
const SPACING = 20;

/** Beyond these, the oldest wait no longer. */
const MAX_WAITING = 10_000;

export class EventQueue {
  #waiting: Publication[] = [];
  /** Since when, and for how long, all of them wait, in milliseconds. */
  #since = 0;
  #pause = 0;

  add(event: Publication): void {
    this.#waiting.push(event);
  }

  /** Publishes none for a while. */
  pause(now: number, time: number): void {
    this.#since = now;
    this.#pause = time;
  }

  /** What may be published now: the oldest event of each entity. */
  due(now: number): Publication[] {
    // A clock that has been set back must not delay events by as much.
    if (Math.abs(now - this.#since) < this.#pause)
      return this.#waiting.splice(0, this.#waiting.length - MAX_WAITING);
    const due = new Map<string, Publication>();
    for (const event of this.#waiting) if (!due.has(event.topic)) due.set(event.topic, event);
    const first = new Set(due.values());
    this.#waiting = this.#waiting.filter((event) => !first.has(event));
    if (first.size > 0) this.pause(now, SPACING);
    return [...first];
  }

  /** When to call `due` next; infinite = never. */
  next(): number {
    return this.#waiting.length === 0 ? Number.POSITIVE_INFINITY : this.#since + this.#pause;
  }
}
