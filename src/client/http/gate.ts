// Decides when the next request of an account may be sent: the rate limit, a longer spacing after 429, the pauses that the service
// requests, and a service that fails for all sites.
import { EnergyError, errorText, ServiceDownError, statusFailure } from "../../errors";
import { defined } from "../../objects";
import { DAY, MINUTE } from "../../time-units";
import type { Caller } from "./fair-queue";
import { isTransient, MAX_WAIT_SECONDS, outcomeOf, type PaceSignal, Retries } from "./retry";

/** The least time between two requests once the service has refused one. */
const FIRST_SPACING_MS = 500;
const MAX_SPACING_MS = 30_000;
/** Each success multiplies the spacing by this, until it is negligible. */
const RECOVERY = 0.9;
const NEGLIGIBLE_SPACING_MS = 100;

/** How many sites have to fail, one after the other and without any success, for the service to fail for all. */
const SITES = 3;
/** Between two probes of a service that fails for all: the first pause, doubled after each probe that fails. */
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;
/** Some requests need not wait for the next probe, but not every one of them is one. */
const MIN_PAUSE_MS = 3000;

/** A request that has started. Times are from performance.now, which clock changes do not affect. */
export interface Turn {
  startedAt: number;
  /** "" = of no site; undefined = says nothing about whether the service works, as a token does not. */
  readonly site: string | undefined;
  /** Whether it reaches back beyond the present. */
  readonly reachesBack?: boolean;
}

/** No request starts before a time; then one of them, the probe, finds out for all. */
interface Hold {
  until: number;
  /** The turn of the probe in flight. */
  probe?: Turn | undefined;
}

/** The service requested it. Kept after its end until a probe has not been refused. */
interface Pause extends Hold {
  readonly seconds: number;
  readonly statusCode: number;
}

/** From the first doubt to the next success. */
interface Outage extends Hold {
  /** Requests wait while the first probes are made, and then fail. */
  readonly isOpen: boolean;
  /** The retries that are made for all. */
  readonly retries: Retries;
  readonly error: EnergyError;
  readonly lastProbeAt: number;
  readonly pauseMs: number;
}

export class Gate {
  readonly #requestsPerMinute: number;
  readonly #retryDelaysMs: readonly number[] | undefined;
  /** The last `requestsPerMinute` requests, oldest first. */
  readonly #starts: Turn[] = [];
  #lastStart = Number.NEGATIVE_INFINITY;
  #spacing = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #pause: Pause | undefined;
  #outage: Outage | undefined;
  /** The sites that have failed since the last success, and for what. */
  readonly #row = new Map<string, string>();
  /** What failed while others succeeded is no evidence: sites, and what they have apart from the present. */
  readonly #alone = new Set<string>();

  /**
   * @param requestsPerMinute 0 = no limit
   * @param retryDelaysMs of the retries that are made for all while the service fails for all
   */
  constructor(requestsPerMinute: number, retryDelaysMs?: readonly number[]) {
    this.#requestsPerMinute = requestsPerMinute;
    this.#retryDelaysMs = retryDelaysMs;
  }

  /** Whether requests fail at once, but for one that probes. */
  get isOpen(): boolean {
    return this.#outage?.isOpen === true;
  }

  /** Why requests do not start at once. All times in milliseconds. */
  get state() {
    const { until = 0, statusCode: status = 0 } = this.#pause ?? {};
    const remaining = until - performance.now();
    const { isOpen, error } = this.#outage ?? {};
    return defined({
      /** Between two requests while the service refuses some with 429; 0 = not slowed down. */
      spacing: this.#spacing,
      /** The pause that the service requested with Retry-After: how long it still lasts, and the status of that response. */
      pause: remaining > 0 ? { remaining, status } : undefined,
      /** While the service fails for all sites, requests fail at once (`open`), or wait while one at a time is retried for all. */
      breaker:
        error &&
        defined({ mode: isOpen ? "open" : "testing", code: error.code, status: error.details.statusCode }),
    });
  }

  /**
   * Why a request fails at once: a pause of more than a minute (RateLimitError, HttpError), or a service that fails for all sites
   * (ServiceDownError). Undefined if it may wait for its turn.
   * @param isUrgent whether the service's failing for all does not matter
   * @param reachesBack whether it may fail although the service works, and so finds out nothing for the others
   */
  refusal(isUrgent = false, reachesBack = false): EnergyError | undefined {
    const pause = this.#pause;
    const paused = pause && pause.seconds > MAX_WAIT_SECONDS ? secondsLeft(pause) : 0;
    if (pause && paused > 0) {
      const details = { statusCode: pause.statusCode, retryAfter: paused };
      return statusFailure(errorText("held", { seconds: paused }), details);
    }
    if (reachesBack && this.#outage) return downError(this.#outage);
    return isUrgent ? undefined : this.downError;
  }

  /** While the service fails for all sites; undefined if a request may wait for its turn. */
  get downError(): ServiceDownError | undefined {
    const outage = this.#outage;
    if (!outage?.isOpen || outage.probe !== undefined) return undefined;
    return secondsLeft(outage) > 0 ? downError(outage) : undefined;
  }

  /** Milliseconds until a request may start; infinite while another probes. */
  waitMs(isUrgent = false): number {
    const now = performance.now();
    const spaced = this.#spacing === 0 ? 0 : this.#lastStart + this.#spacing - now;
    const down = isUrgent ? 0 : holdLeft(this.#outage, now);
    return Math.max(holdLeft(this.#pause, now), down, this.#limitLeft(now), spaced);
  }

  /**
   * Lets a request be the next probe, if the last one was not just now: one that a person waits for, or one for what has not failed,
   * because it may work while the sites that probe never do.
   */
  hurry({ priority }: Caller, site: string): void {
    const outage = this.#outage;
    if (!outage?.isOpen || (priority !== "user" && this.#row.has(site))) return;
    const now = performance.now();
    if (now - outage.lastProbeAt >= MIN_PAUSE_MS) outage.until = Math.min(outage.until, now);
  }

  /** Must be called when a request starts, which is the probe of what holds, unless it is a guest; and `end` when it has ended. */
  start(turn: Turn, isGuest: boolean): void {
    this.#lastStart = turn.startedAt;
    if (this.#requestsPerMinute > 0) this.#starts.push(turn);
    if (isGuest) return;
    if (this.#pause) this.#pause.probe = turn;
    if (this.#outage && turn.site !== undefined) this.#outage.probe = turn;
  }

  /** If a probe has shown nothing, the next request is the probe. If it was refused, another pause has begun by then. */
  end(turn: Turn, isAborted: boolean): void {
    if (this.#outage?.probe === turn) this.#outage.probe = undefined;
    if (this.#pause?.probe !== turn) return;
    if (isAborted) this.#pause.probe = undefined;
    else this.#pause = undefined;
  }

  /**
   * Learns from a response. Must be called before `end`, so that no other request starts first; `failed` likewise. A list may work,
   * or fail, where nothing else does: only a response for a site says whether the service works.
   */
  observe({ status, retryAfter }: PaceSignal, turn: Turn): void {
    const isProbing = this.#pause?.probe !== undefined;
    if (retryAfter !== undefined && isTransient(status)) this.#beginPause(retryAfter, status);
    else if (status === 429) this.#slowDown(turn.startedAt);
    else if (status < 300) this.#recover();
    if (!turn.site) return;
    // A service that refuses even one request in half a minute, or the only one after the pause that it requested, does not work.
    const isStuck = retryAfter === undefined ? this.#spacing === MAX_SPACING_MS : isProbing;
    if (status >= 500 || (status === 429 && isStuck)) {
      const details = { statusCode: status, ...(retryAfter !== undefined && { retryAfter }) };
      this.failed(statusFailure(errorText("lastStatus", { status }), details), turn.site, turn);
    } else if (status < 400) {
      this.#succeeded(turn.site, turn);
    } else if (status !== 429 && this.#outage?.probe === turn) {
      // By its own reasons to refuse a request, the service shows that it works.
      this.#outage = undefined;
    }
  }

  /**
   * Learns from a request that failed as all others may. During an outage, only that of the probe counts.
   * @param turn undefined for one that has been retried already, and had no turn: no token could be had
   */
  failed(error: unknown, site: string | undefined, turn?: Turn): void {
    const isFinal = turn === undefined;
    const outcome = outcomeOf(error);
    if ((!site && !isFinal) || outcome === undefined || !(error instanceof EnergyError)) return;
    const now = performance.now();
    const known = this.#outage;
    const failing = evidenceOf(site, turn);
    if (known ? known.probe !== turn && !isFinal : !site || this.#alone.has(failing)) return;
    // Several requests may wait for the token that one request could not get.
    if (known?.isOpen && known.probe === undefined && now < known.until) return;
    if (site) this.#row.set(site, failing);
    if (!known && this.#row.size < SITES) return;
    const { pauseMs = FIRST_PAUSE_MS, retries = new Retries(this.#retryDelaysMs) } = known ?? {};
    retries.begin(now);
    const delay = known?.isOpen || isFinal ? undefined : retries.delayAfter(outcome, now);
    const isOpen = delay === undefined;
    const nextPauseMs = isOpen ? Math.min(pauseMs * 2, MAX_PAUSE_MS) : pauseMs;
    const until = now + (delay ?? pauseMs);
    this.#outage = { error, retries, isOpen, until, lastProbeAt: now, pauseMs: nextPauseMs };
  }

  #succeeded(site: string, turn: Turn): void {
    this.#outage = undefined;
    for (const failed of this.#row.values()) this.#alone.add(failed);
    // Clearing an empty set would make another one for each response.
    if (this.#row.size > 0) this.#row.clear();
    this.#alone.delete(evidenceOf(site, turn));
  }

  /** Of several pauses, the one that ends last applies. */
  #beginPause(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (seconds > 0 && (this.#pause?.until ?? 0) < until) this.#pause = { until, seconds, statusCode };
  }

  /**
   * Doubles the time between requests, or repeats a pause that has ended without a successful probe.
   * @param startedAt of the request: those that were in flight together slow down the account once
   */
  #slowDown(startedAt: number): void {
    const now = performance.now();
    if (this.#pause && this.#pause.until <= now) {
      this.#beginPause(this.#pause.seconds, this.#pause.statusCode);
    } else if (startedAt >= this.#slowedAt) {
      this.#slowedAt = now;
      this.#spacing = Math.min(Math.max(this.#spacing * 2, FIRST_SPACING_MS), MAX_SPACING_MS);
    }
  }

  #recover(): void {
    this.#spacing *= RECOVERY;
    if (this.#spacing < NEGLIGIBLE_SPACING_MS) this.#spacing = 0;
  }

  #limitLeft(now: number): number {
    // A limit below one a minute is one request in a longer time.
    const span = Math.min(MINUTE / Math.min(this.#requestsPerMinute, 1), DAY);
    while (this.#starts[0] !== undefined && now - this.#starts[0].startedAt >= span) this.#starts.shift();
    const [oldest] = this.#starts;
    const isWithinLimit = oldest === undefined || this.#starts.length + 1 <= this.#requestsPerMinute;
    return isWithinLimit ? 0 : oldest.startedAt + span - now;
  }
}

function holdLeft(hold: Hold | undefined, now: number): number {
  if (!hold) return 0;
  return hold.probe === undefined ? hold.until - now : Number.POSITIVE_INFINITY;
}

/** A site that has an answer for the present may go on to fail for all else. */
function evidenceOf(site = "", turn?: Turn): string {
  return turn?.reachesBack ? `${site} past` : site;
}

function downError(outage: Outage): ServiceDownError {
  return new ServiceDownError(outage.error, Math.max(secondsLeft(outage), 1));
}

function secondsLeft({ until }: Hold): number {
  return Math.ceil((until - performance.now()) / 1000);
}
