// What one service says of the time: two responses in a row have to agree, because one odd header changes nothing.
import { CLOCK_TOLERANCE, commonPart, type TimeWindow } from "./time-units";

/** A Date header has whole seconds. */
const DATE_STEP = 1000;
/** Replicas of one service may differ by this. */
const REPLICA_TOLERANCE = 5000;

/** The origin of a clock is its time minus monotonic time, in milliseconds; here, that of the local clock and when it was read. */
export interface LocalOrigin {
  readonly origin: number;
  readonly at: number;
}

export class ServiceTime {
  /** Undefined until a response has confirmed it. */
  origin: number | undefined;
  /** By the newest record that was read as ended: the clock never goes behind that. */
  floor = Number.NEGATIVE_INFINITY;
  /** What the last response claimed, if that was not confirmed. */
  #odd: TimeWindow | undefined;
  #isSilent = false;
  /** Whether its own records show that its dates are wrong. */
  #isRefuted = false;

  constructor(readonly onCorrected?: (correction: number) => void) {}

  /** After a jump of the local clock, nothing that was said can be compared with it. */
  forget(): void {
    this.origin = undefined;
    this.#odd = undefined;
    this.#isSilent = false;
    this.#isRefuted = false;
  }

  /**
   * The origin that a response confirms; undefined if it confirms nothing.
   * @param times when the service may have sent it, by its own clock; empty = it does not say
   * @param sentAt when the request was sent, on the monotonic clock
   * @param known the origin of the clock that all follow; undefined if it is not sure
   */
  heard(
    times: readonly number[],
    sentAt: number,
    local: LocalOrigin,
    known: number | undefined,
  ): number | undefined {
    if (this.#isRefuted) return undefined;
    const wasSilent = this.#isSilent;
    this.#isSilent = times.length === 0;
    // A service that never says what time it is leaves it to the local clock.
    if (this.#isSilent) return wasSilent && known === undefined ? local.origin : undefined;
    const expected = this.origin ?? known ?? local.origin;
    // The response was sent at any time since the request.
    const claims = times.map((time) => ({ start: time - local.at, end: time + DATE_STEP - sentAt }));
    const farOff = (claim: TimeWindow): number => Math.abs(distance(expected, claim));
    const claim = claims.reduce((one, other) => (farOff(other) < farOff(one) ? other : one));
    const isExpected = farOff(claim) <= CLOCK_TOLERANCE;
    const common = this.#odd && commonPart(this.#odd, claim);
    const isRepeated = common !== undefined && common.start - common.end <= REPLICA_TOLERANCE;
    this.#odd = isExpected || isRepeated ? undefined : claim;
    if (this.#odd) return undefined;
    if (Math.abs(distance(local.origin, claim)) <= CLOCK_TOLERANCE) return local.origin;
    // Keeps a time that is still possible, because slow responses say little about the exact time.
    return clamp(isExpected ? expected : local.origin, claim);
  }

  /** Its own records show that its dates are wrong: the local clock counts, until the next jump. */
  refute({ origin }: LocalOrigin): void {
    this.origin = origin;
    this.#odd = undefined;
    this.#isRefuted = true;
  }
}

function clamp(value: number, { start, end }: TimeWindow): number {
  return Math.min(Math.max(value, start), end);
}

/** How far the interval is ahead of the value: positive, negative, or 0 if the value is in it. */
function distance(value: number, interval: TimeWindow): number {
  return clamp(value, interval) - value;
}
