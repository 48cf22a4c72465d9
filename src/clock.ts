// The one clock of the runtime: monotonic time from an anchor, which follows a service where the machine's clock is wrong, and
// how sure it is.
import { CLOCK_TOLERANCE, type LocalOrigin, ServiceTime } from "./service-time";
import { HOUR, type TimeWindow } from "./time-units";

export interface Clock {
  /** Whole milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment in this process: steady, whatever happens to the clock. */
  monotonic(): number;
  /** Whether `now` can be trusted: while it cannot, nothing is fresh. */
  readonly isSure: boolean;
}

/** One moment of a clock: dates are compared by `now`, durations are measured by `monotonic`. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
  readonly isSure: boolean;
  /**
   * What was known before this monotonic time cannot be judged any more: the machine slept or its clock was set, and there is no
   * service to say how much time has passed.
   */
  readonly knownSince: number;
}

/** What one service says of the time, from its account's first use until that is closed. */
export type TimeSource = ReturnType<RuntimeClock["open"]>;

/** The machine's clock: the only caller of Date.now. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  isSure: true,
};

export { CLOCK_TOLERANCE };

/**
 * Follows the local clock, or the service that is nearest to it if none is within a minute. A service has to say so in two
 * responses in a row: one odd header changes nothing. The time is unsure while there are services and none has confirmed it.
 */
export class RuntimeClock implements Clock {
  readonly #local: Clock;
  readonly #services = new Set<ServiceTime>();
  #changes = 0;
  /** The origin of the local clock, and when that was read. */
  #anchor: LocalOrigin;
  /** What the services say, relative to the local clock; 0 if that is right. */
  #difference = 0;
  /**
   * Service time minus local time in milliseconds, as of the last change that was worth reporting: a difference of more than
   * a minute. Undefined if the two agree, or no service has said what time it is.
   */
  correction: number | undefined;
  #isConfirmed = false;
  #knownSince = Number.NEGATIVE_INFINITY;

  constructor(local: Clock = systemClock) {
    this.#local = local;
    this.#anchor = this.#localOrigin();
  }

  now(): number {
    return Math.round(this.#followLocal() + this.#origin());
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  get isSure(): boolean {
    this.#followLocal();
    return this.#isConfirmed || this.#services.size === 0;
  }

  moment(): Moment {
    const now = this.now();
    return { now, monotonic: this.monotonic(), isSure: this.isSure, knownSince: this.#knownSince };
  }

  /** How often the time has jumped, or its certainty changed. */
  get changes(): number {
    this.#followLocal();
    return this.#changes;
  }

  /**
   * Gives a service a say in the time.
   * @param onCorrected called with the correction when it begins, or changes by more than a minute
   */
  open(onCorrected?: (correction: number) => void) {
    const service = new ServiceTime(onCorrected);
    this.#change(() => this.#services.add(service));
    const isInDoubt = (): boolean => !this.isSure && service.isInDoubt;
    return {
      clock: this as RuntimeClock,
      /** Whether the time is not sure, and the next response may settle it: the last one did not agree with the local clock. */
      get isInDoubt() {
        return isInDoubt();
      },
      /**
       * Learns from a response that has just been completed.
       * @param times when the service may have sent it, in milliseconds by the service's clock; empty = it does not say
       * @param sentAt when the request was sent, on the monotonic clock
       */
      observe: (times: readonly number[], sentAt: number) =>
        this.#change(() => this.#observe(service, times, sentAt)),
      /** Learns from the records of a response, in time order. Times in milliseconds. */
      observeRecords: (records: readonly TimeWindow[]) =>
        this.#change(() => this.#raiseFloor(service, records)),
      // What it said remains, because a deployment opens the account again.
      close: () => this.#change(() => this.#services.delete(service)),
    };
  }

  #localOrigin(): LocalOrigin {
    const at = this.monotonic();
    return { origin: this.#local.now() - at, at };
  }

  #origin(): number {
    let origin = this.#anchor.origin + this.#difference;
    for (const { floor } of this.#services) origin = Math.max(origin, floor);
    return origin;
  }

  /**
   * Notices that the wall clock has run away from the monotonic one, which may stand still while the machine sleeps. Returns the
   * monotonic time.
   */
  #followLocal(): number {
    const { origin, at } = this.#localOrigin();
    const hasJumped = Math.abs(origin - this.#anchor.origin) > CLOCK_TOLERANCE;
    // The two clocks drift apart by seconds a day.
    if (hasJumped || at - this.#anchor.at > HOUR) this.#anchor = { origin, at };
    if (!hasJumped) return at;
    this.#difference = 0;
    this.#isConfirmed = false;
    for (const service of this.#services) service.forget();
    if (this.#services.size === 0) this.#knownSince = at;
    this.#changes += 1;
    return at;
  }

  /** Counts the change if it makes the time jump, or changes its certainty. */
  #change(change: () => void): void {
    const [wasSure, before] = [this.isSure, this.#origin()];
    change();
    if (this.isSure !== wasSure || Math.abs(this.#origin() - before) > CLOCK_TOLERANCE) this.#changes += 1;
  }

  #observe(service: ServiceTime, times: readonly number[], sentAt: number): void {
    if (!this.#services.has(service)) return;
    const local = this.#localOrigin();
    const known = this.#isConfirmed ? this.#anchor.origin + this.#difference : undefined;
    const origin = service.heard(times, sentAt, local, known);
    if (origin === undefined) return;
    if (origin === local.origin) this.#anchor = local;
    this.#confirm(service, origin);
  }

  #confirm(service: ServiceTime, origin: number): void {
    service.origin = origin;
    this.#isConfirmed = true;
    let nearest = origin - this.#anchor.origin;
    for (const { origin: other } of this.#services) {
      const difference = (other ?? Number.POSITIVE_INFINITY) - this.#anchor.origin;
      if (Math.abs(difference) < Math.abs(nearest)) nearest = difference;
    }
    this.#difference = Math.abs(nearest) <= CLOCK_TOLERANCE ? 0 : nearest;
    // What differs from the last report by less does not count: a small correction must not begin again and again.
    if (Math.abs(nearest - (this.correction ?? 0)) <= CLOCK_TOLERANCE) return;
    this.correction = this.#difference === 0 ? undefined : nearest;
    if (this.correction !== undefined) service.onCorrected?.(nearest);
  }

  #raiseFloor(service: ServiceTime, records: readonly TimeWindow[]): void {
    const last = records.at(-1);
    if (!last || !this.isSure) return;
    const local = this.#localOrigin();
    if (last.start > this.now() && last.end <= local.at + local.origin) {
      // A record that exists has begun: a service whose date is behind that does not know what time it is.
      service.refute();
      this.#confirm(service, local.origin);
    }
    const now = this.now();
    const ended = records.findLast(({ end }) => end <= now);
    if (ended) service.floor = Math.max(service.floor, ended.end - this.monotonic());
  }
}

/** The time for everything in this process. A simulated service has no say in it. */
export const sharedClock = new RuntimeClock();

/**
 * Runs the work, and once more if the clock was corrected in the meantime by more than a minute, because work planned with the
 * wrong time is of no use. The outcome is that of the last run.
 */
export async function withRightTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const offset = (): number => clock.now() - clock.monotonic();
  const before = offset();
  const first = work();
  await first.catch(() => undefined);
  return Math.abs(offset() - before) > CLOCK_TOLERANCE ? work() : first;
}
