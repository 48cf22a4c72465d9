// The sources of time: the machine's clock, and clocks that follow a service where the machine's clock is wrong.
import { MINUTE } from "./time-units";

export interface Clock {
  /** Whole milliseconds since the epoch. Not steady: a clock may be set. */
  now(): number;
  /** Milliseconds since some moment in this process: steady, whatever happens to the clock. */
  monotonic(): number;
}

/** One moment by both clocks of a `Clock`: dates are compared by `now`, durations are measured by `monotonic`. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), monotonic: clock.monotonic() };
}

/** A clock that may differ from the machine's. */
export interface CorrectedClock extends Clock {
  /**
   * Service time minus local time in milliseconds, as of the last change that was worth reporting: a difference of more than
   * a minute. Undefined if the two agree, or no service has said what time it is.
   */
  readonly correction: number | undefined;
}

/** The machine's clock: the only caller of Date.now. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Clocks that differ by no more than this, in milliseconds, count as equal: no reason to correct one by the other. */
export const CLOCK_TOLERANCE = MINUTE;
/** A Date header has whole seconds. */
const DATE_STEP = 1000;

/**
 * The time according to a service. Between responses it runs on the monotonic clock, so that setting the local clock does
 * not affect it. Until the service has said what time it is, it is the local clock.
 */
export class ServiceClock implements CorrectedClock {
  readonly #onCorrected: ((correction: number) => void) | undefined;
  readonly #local: Clock;
  #anchor: { time: number; at: number } | undefined;
  #correction: number | undefined;

  /** @param onCorrected called with the correction when it begins, or changes by more than a minute */
  constructor(onCorrected?: (correction: number) => void, local: Clock = systemClock) {
    this.#onCorrected = onCorrected;
    this.#local = local;
  }

  get correction(): number | undefined {
    return this.#correction;
  }

  /** Whether the service has said what time it is. */
  get isSet(): boolean {
    return this.#anchor !== undefined;
  }

  now(): number {
    const anchor = this.#anchor;
    if (anchor === undefined) return this.#local.now();
    return Math.round(anchor.time + this.monotonic() - anchor.at);
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  /**
   * Learns from a response that has just been completed.
   * @param serviceTime when the service sent it, in milliseconds by the service's clock; undefined or NaN = unknown
   * @param sentAt when the request was sent, on the monotonic clock
   */
  observe(serviceTime: number | undefined, sentAt: number): void {
    if (serviceTime === undefined || !Number.isFinite(serviceTime)) return;
    const at = this.monotonic();
    const local = this.#local.now();
    // What the service's clock may show by now: the response was sent at any time since the request.
    const possible = { from: serviceTime, to: serviceTime + DATE_STEP + (at - sentAt) };
    const difference = distance(local, possible);
    const isLocalRight = Math.abs(difference) <= CLOCK_TOLERANCE;
    // Keeps a time that is still possible, because slow responses say little about the exact time.
    this.#anchor = { at, time: isLocalRight ? local : clamp(this.isSet ? this.now() : local, possible) };
    this.#report(isLocalRight ? difference : this.#anchor.time - local);
  }

  /** A small correction ends well below the difference at which it begins, so that it does not begin again and again. */
  #report(difference: number): void {
    const hasChanged = Math.abs(difference - (this.#correction ?? 0)) > CLOCK_TOLERANCE;
    if (Math.abs(difference) > CLOCK_TOLERANCE) {
      if (!hasChanged) return;
      this.#correction = difference;
      this.#onCorrected?.(difference);
    } else if (hasChanged || Math.abs(difference) <= CLOCK_TOLERANCE / 2) {
      this.#correction = undefined;
    }
  }
}

const sharedClocks = new Set<ServiceClock>();

/** Makes a clock one of those that `sharedClock` may follow, until the returned function is called. */
export function shareClock(clock: ServiceClock): () => void {
  sharedClocks.add(clock);
  return () => sharedClocks.delete(clock);
}

/**
 * The time for everything that calls no service: that of the open account whose service is closest to the machine's clock, so
 * that one wrong service does not matter if another one agrees with the machine.
 */
export const sharedClock: Clock = {
  now() {
    const local = systemClock.now();
    const corrections = [...sharedClocks].filter(({ isSet }) => isSet).map((clock) => clock.now() - local);
    return local + corrections.reduce(smallest, corrections[0] ?? 0);
  },
  monotonic: () => systemClock.monotonic(),
};

/**
 * Runs the work, and once more if the clock was corrected in the meantime by more than a minute, because work planned with the
 * wrong time is of no use. The outcome is that of the last run.
 */
export async function withRightTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const offset = (): number => clock.now() - clock.monotonic();
  const before = offset();
  const result = await Promise.allSettled([work()]);
  if (Math.abs(offset() - before) > CLOCK_TOLERANCE) return work();
  if (result[0].status === "rejected") throw result[0].reason;
  return result[0].value;
}

interface Interval {
  from: number;
  to: number;
}

function clamp(time: number, { from, to }: Interval): number {
  return Math.min(Math.max(time, from), to);
}

/** How far the interval is ahead of the time: positive, negative, or 0 if the time is in it. */
function distance(time: number, interval: Interval): number {
  return clamp(time, interval) - time;
}

function smallest(one: number, other: number): number {
  return Math.abs(other) < Math.abs(one) ? other : one;
}
