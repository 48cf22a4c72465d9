// The source of the current time.

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** The machine's clock: the only caller of Date.now. */
export const systemClock: Clock = { now: () => Date.now() };
