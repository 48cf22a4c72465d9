// A clock whose local clock can be set and whose machine can sleep, and services that respond to it.
import { type Clock, RuntimeClock, type TimeSource } from "../../src/clock";

/** In a sleep, the monotonic clock stands still. */
class LocalClock implements Clock {
  #passed = 0;
  #set = Date.UTC(2026, 5, 10, 10, 0);
  readonly isSure = true;
  now = (): number => this.#set + this.#passed;
  monotonic = (): number => this.#passed;
  pass(ms: number): void {
    this.#passed += ms;
  }
  /** Sets the clock, or sleeps. */
  step(ms: number): void {
    this.#set += ms;
  }
}

export class ClockRig {
  local = new LocalClock();
  clock = new RuntimeClock(this.local);
  reported: number[] = [];

  open(): TimeSource {
    return this.clock.open((correction) => this.reported.push(correction));
  }

  /** What the clock differs from the local one by. */
  difference(): number {
    return this.clock.now() - this.local.now();
  }

  /** A response whose Date header differs from the local clock. */
  respond(source: TimeSource, by: number, durationMs = 0): void {
    const sentAt = this.local.monotonic();
    this.local.pass(durationMs);
    source.observe([this.local.now() + by], sentAt);
  }

  /** Responses a second apart: two in a row decide. */
  agree(source: TimeSource, by: number): void {
    this.respond(source, by);
    this.local.pass(1000);
    this.respond(source, by);
  }
}
