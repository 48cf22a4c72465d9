// What was last announced of a device to Home Assistant, and when to publish more: what time changes, and events that wait.
import type { Publication } from "../publications";
import type { Device, Profile } from "./device";

/**
 * Milliseconds until what was published is published again: after a new config Home Assistant takes a moment to subscribe, and
 * after a start an mqtt out node to connect.
 */
export const SUBSCRIBE_DELAY = 5000;

/** The state of an event is its time in milliseconds: of two within one, an automation misses the second. In milliseconds. */
const EVENT_SPACING = 20;
/** Events of a device that wait; beyond these, the oldest are dropped. */
const MAX_WAITING = 10_000;

export const NEVER = Number.POSITIVE_INFINITY;

/** Times in milliseconds. */
export class Announcement {
  /** What its discovery message depended on; undefined before the first. */
  profile: Profile | undefined;
  delivery: unknown;
  /** What was last published of its availability, and when. */
  isOnline: boolean | undefined;
  at = 0;
  /** When to repeat its current state. */
  repeatAt = NEVER;
  /** When it is no longer available, or a stale one is reported again. */
  staleAt = NEVER;
  /** When the next of its states ends. */
  endsAt = NEVER;
  /** When the next event may be published: only once, so not before Home Assistant has subscribed. */
  eventsAt = 0;
  #events: Publication[] = [];

  /** When there is more to publish. While the time is not sure, only events, and that it is stale. */
  dueAt(isSure: boolean): number {
    const eventsAt = this.#events.length > 0 ? this.eventsAt : NEVER;
    if (isSure) return Math.min(eventsAt, this.repeatAt, this.staleAt, this.endsAt);
    return this.isOnline ? Math.min(eventsAt, this.staleAt) : eventsAt;
  }

  introduce({ profile }: Device, delivery: unknown, now: number): void {
    const repeatAt = now + SUBSCRIBE_DELAY;
    Object.assign(this, { profile, delivery, repeatAt, eventsAt: repeatAt });
  }

  addEvent(event: Publication): void {
    this.#events = [...this.#events, event].slice(-MAX_WAITING);
  }

  /** The oldest event, if it may be published now. */
  takeEvent(now: number): Publication[] {
    const wait = this.eventsAt - now;
    // A clock that has been set back must not delay events by as much.
    if (this.#events.length === 0 || (wait > 0 && wait <= SUBSCRIBE_DELAY)) return [];
    this.eventsAt = now + EVENT_SPACING;
    return this.#events.splice(0, 1);
  }
}
