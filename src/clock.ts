// The one clock of the runtime: monotonic time from an anchor, which follows a service where the machine's clock is wrong, and
// how sure it is.
import { type LocalOrigin, ServiceTime } from "./service-time";
import { CLOCK_TOLERANCE, HOUR, type TimeWindow } from "./time-units";

export interface Clock {
  /** Whole milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment in this process: steady, whatever happens to the clock. */
  monotonic(): number;
  /** Whether `now` can be trusted: while it cannot, nothing is fresh. */
  readonly isSure: boolean;
}

/** One moment of the clock: dates are compared by `now`, durations are measured by `monotonic`. */
export type Moment = Readonly<ReturnType<RuntimeClock["moment"]>>;

/** What one service says of the time, from its account's first use until that is closed. */
export type TimeSource = ReturnType<RuntimeClock["open"]>;

/** The machine's clock: the only caller of Date.now. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  isSure: true,
};

/**
 * Follows the local clock, or the service that is nearest to it if none is within a minute. A service has to say so in two
 * responses in a row: one odd header changes nothing. The time is unsure while there are services and none has confirmed it.
 */
export class RuntimeClock implements Clock {
  readonly #local: Clock;
  readonly #services = new Set<ServiceTime>();
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
  /** When the local clock last ran away, on the monotonic clock. */
  #jumpedAt = Number.NEGATIVE_INFINITY;

  constructor(local: Clock = systemClock) {
    this.#local = local;
    this.#anchor = this.#localOrigin();
  }

  now(): number {
    return Math.round(this.#followLocal().at + this.#origin());
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  get isSure(): boolean {
    this.#followLocal();
    return this.#isConfirmed || this.#services.size === 0;
  }

  /**
   * What was known before this monotonic time cannot be judged any more: the machine slept or its clock was set, and there is no
   * service to say how much time has passed.
   */
  get knownSince(): number {
    this.#followLocal();
    return this.#isConfirmed || this.#services.size > 0 ? Number.NEGATIVE_INFINITY : this.#jumpedAt;
  }

  moment() {
    const [now, monotonic, jumpedAt] = [this.now(), this.monotonic(), this.#jumpedAt];
    return { now, monotonic, isSure: this.isSure, knownSince: this.knownSince, jumpedAt };
  }

  /**
   * Gives a service a say in the time.
   * @param onCorrected called with the correction when it begins, or changes by more than a minute
   */
  open(onCorrected?: (correction: number) => void) {
    const service = new ServiceTime(onCorrected);
    this.#services.add(service);
    return {
      clock: this as RuntimeClock,
      /**
       * Learns from a response that has just been completed.
       * @param times when the service may have sent it, in milliseconds by the service's clock; empty = it does not say
       * @param sentAt when the request was sent, on the monotonic clock
       */
      observe: (times: readonly number[], sentAt: number) => this.#observe(service, times, sentAt),
      /** Learns from the records of a response, in time order. Times in milliseconds. */
      observeRecords: (records: readonly TimeWindow[]) => this.#raiseFloor(service, records),
      // What it said remains, because a deployment opens the account again.
      close: () => void this.#services.delete(service),
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

  /** Notices that the wall clock has run away from the monotonic one, which may stand still while the machine sleeps. */
  #followLocal(): LocalOrigin {
    const local = this.#localOrigin();
    const jump = local.origin - this.#anchor.origin;
    const hasJumped = Math.abs(jump) > CLOCK_TOLERANCE;
    // The two clocks drift apart by seconds a day.
    if (hasJumped || local.at - this.#anchor.at > HOUR) this.#anchor = local;
    if (!hasJumped) return local;
    // A clock that was not set right is as wrong after a sleep as before it.
    const isRight = Math.abs(jump - this.#difference) <= CLOCK_TOLERANCE;
    if (isRight || this.#services.size === 0) this.#difference = 0;
    this.#isConfirmed = false;
    this.#jumpedAt = local.at;
    for (const service of this.#services) service.forget();
    return local;
  }

  #observe(service: ServiceTime, times: readonly number[], sentAt: number): void {
    if (!this.#services.has(service)) return;
    const local = this.#followLocal();
    const known = this.#isConfirmed ? this.#anchor.origin + this.#difference : undefined;
    const origin = service.heard(times, sentAt, local, known);
    if (origin === undefined) return;
    service.origin = origin;
    if (origin === local.origin) this.#anchor = local;
    this.#confirm(service);
  }

  /** Follows the service that is nearest to the local clock, now that one has said what time it is. */
  #confirm({ onCorrected }: ServiceTime): void {
    this.#isConfirmed = true;
    let nearest = Number.POSITIVE_INFINITY;
    for (const { origin = Number.POSITIVE_INFINITY } of this.#services) {
      const difference = origin - this.#anchor.origin;
      if (Math.abs(difference) < Math.abs(nearest)) nearest = difference;
    }
    this.#difference = Math.abs(nearest) <= CLOCK_TOLERANCE ? 0 : nearest;
    // What differs from the last report by less does not count: a small correction must not begin again and again.
    if (Math.abs(nearest - (this.correction ?? 0)) <= CLOCK_TOLERANCE) return;
    this.correction = this.#difference === 0 ? undefined : nearest;
    if (this.correction !== undefined) onCorrected?.(nearest);
  }

  #raiseFloor(service: ServiceTime, records: readonly TimeWindow[]): void {
    const last = records.at(-1);
    if (!last || !this.isSure || !this.#services.has(service)) return;
    const local = this.#localOrigin();
    if (last.start > this.now() && last.end <= local.at + local.origin) {
      // A record that exists has begun: a service whose date is behind that does not know what time it is.
      service.refute(local);
      this.#confirm(service);
    }
    const now = this.now();
    const ended = records.findLast(({ end }) => end <= now);
    if (ended) service.floor = Math.max(service.floor, ended.end - this.monotonic());
  }
}

/** The time for everything in this process. A simulated service has no say in it. */
export const sharedClock = new RuntimeClock();

/** The latest that it may be now: as long as the time is not sure, nothing is in the future. */
export function latestNow(clock: Clock): number {
  return clock.isSure ? clock.now() : Number.POSITIVE_INFINITY;
}

/** When a moment on the monotonic clock was: an answer may since have set right a clock that was wrong. */
export function timeAt(monotonic: number, clock: Clock): number {
  return Math.round(clock.now() - clock.monotonic() + monotonic);
}

/** What says whether the time has since jumped by more than a minute: the local clock was set, or is corrected. */
export function jumpSince(clock: Clock): () => boolean {
  const offset = (): number => clock.now() - clock.monotonic();
  const before = offset();
  return () => Math.abs(offset() - before) > CLOCK_TOLERANCE;
}

/** Runs the work, and once more if the time has jumped meanwhile: what was planned with the wrong time is of no use. */
export async function withRightTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const hasJumped = jumpSince(clock);
  const first = work();
  await first.catch(() => undefined);
  return hasJumped() ? work() : first;
}
