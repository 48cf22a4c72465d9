// The events of a device that wait: until Home Assistant has subscribed, and so long that it tells them apart.
import type { Publication } from "../publications";

/**
 * Milliseconds until what was published is published again: after a new config Home Assistant takes a moment to subscribe, and
 * after a start an mqtt out node to connect.
 */
export const SUBSCRIBE_DELAY = 5000;

/** The state of an event is its time in milliseconds: of two within one, an automation misses the second. In milliseconds. */
const EVENT_SPACING = 20;
/** Beyond these, the oldest events of a device wait no longer. */
const MAX_WAITING = 10_000;

export class EventQueue {
  #events: Publication[] = [];
  #openAt = 0;

  /** When to take the next event, in milliseconds; infinite = there is none. */
  get dueAt(): number {
    return this.#events.length > 0 ? this.#openAt : Number.POSITIVE_INFINITY;
  }

  add(event: Publication): void {
    this.#events = [...this.#events, event].slice(-MAX_WAITING);
  }

  /** An event is published only once, so not before Home Assistant has subscribed. */
  holdUntil(time: number): void {
    this.#openAt = time;
  }

  /** The oldest event, if it may be published now. */
  take(now: number): Publication[] {
    const wait = this.dueAt - now;
    // A clock that has been set back must not delay events by as much.
    const isHeld = wait > 0 && wait <= SUBSCRIBE_DELAY;
    if (isHeld || this.#events.length === 0) return [];
    this.#openAt = now + EVENT_SPACING;
    return this.#events.splice(0, 1);
  }
}
