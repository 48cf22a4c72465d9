// The sources of time: what time it is, and how much time has passed.

export interface Clock {
  /** Milliseconds since the epoch. Not steady: a clock may be set. */
  now(): number;
  /** Milliseconds since some moment in this process: steady, whatever happens to the clock. */
  monotonic(): number;
}

/** The machine's clock: the only caller of Date.now. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
