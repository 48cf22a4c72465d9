// What time it is.

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** The clock of the machine: the only reader of Date.now. */
export const systemClock: Clock = { now: () => Date.now() };
