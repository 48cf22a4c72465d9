// Decides whether the service fails for all sites of an account, and then lets one request at a time find out when it is back.
import { type EnergyError, ServiceDownError } from "../../errors";
import type { Priority } from "./fair-queue";
import { outcomeOf, Retries } from "./retry";

/** How many sites have to fail, one after the other and without any success. */
const SITES = 3;
/** Between two probes: the first pause, doubled after each probe that fails. */
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;
/** Some requests need not wait for the next probe, but not every one of them is one. */
const MIN_PAUSE_MS = 3000;

/** A request that failed as all others may. */
export interface ServiceFailure {
  /** "" = of no site: it says nothing about the sites. */
  readonly site: string;
  readonly error: EnergyError;
  /** Whether it has been retried already. */
  readonly isFinal?: boolean;
}

/** What the breaker is doing at a moment. */
export interface BreakerState {
  /** `testing`: requests wait while one at a time is retried for all; `open`: they fail at once. */
  readonly mode: "testing" | "open";
  /** Milliseconds since the first of the failures. */
  readonly since: number;
  /** Milliseconds until the next probe; 0 = as soon as there is a request. */
  readonly nextProbe: number;
  /** Probes that failed. */
  readonly probes: number;
  readonly code: EnergyError["code"];
  readonly status?: number;
}

/** From the first doubt to the next success. Times are from performance.now. */
interface Outage {
  mode: BreakerState["mode"];
  readonly since: number;
  /** The retries that are made for all. */
  readonly retries: Retries;
  error: EnergyError;
  nextProbeAt: number;
  lastProbeAt: number;
  pauseMs: number;
  probes: number;
  /** The turn of the probe in flight. */
  probe?: number | undefined;
}

export class Breaker {
  readonly #delaysMs: readonly number[] | undefined;
  /** The sites that have failed since the last success. */
  readonly #row = new Set<string>();
  /** The sites that failed while others succeeded: they are no evidence. */
  readonly #alone = new Set<string>();
  #outage: Outage | undefined;
  #opening = new AbortController();

  /** @param delaysMs of the retries */
  constructor(delaysMs?: readonly number[]) {
    this.#delaysMs = delaysMs;
  }

  /** Aborts when the breaker opens next. */
  get opening(): AbortSignal {
    return this.#opening.signal;
  }

  get state(): BreakerState | undefined {
    if (!this.#outage) return undefined;
    const { mode, since, nextProbeAt, probes, error } = this.#outage;
    const { code, details } = error;
    const now = performance.now();
    const status = details.statusCode === undefined ? {} : { status: details.statusCode };
    return { mode, since: now - since, nextProbe: Math.max(nextProbeAt - now, 0), probes, code, ...status };
  }

  /** Why a request fails at once; undefined if it may wait for its turn. */
  refusal(): ServiceDownError | undefined {
    if (this.#outage?.mode !== "open" || this.#outage.probe !== undefined) return undefined;
    const wait = this.#outage.nextProbeAt - performance.now();
    return wait > 0 ? new ServiceDownError(this.#outage.error, Math.ceil(wait / 1000)) : undefined;
  }

  /**
   * Lets a request be the next probe, if the last one was not just now: one that someone waits for, or one for what has not failed,
   * because it may work while the sites that probe never do.
   * @param site "" = of no site
   */
  hurry(priority: Priority, site: string): void {
    const outage = this.#outage;
    if (outage?.mode !== "open" || (priority !== "user" && this.#row.has(site))) return;
    const now = performance.now();
    if (now - outage.lastProbeAt >= MIN_PAUSE_MS) outage.nextProbeAt = Math.min(outage.nextProbeAt, now);
  }

  /** Milliseconds until a request may start; infinite while one probes. */
  waitMs(now: number): number {
    if (!this.#outage) return 0;
    return this.#outage.probe === undefined ? this.#outage.nextProbeAt - now : Number.POSITIVE_INFINITY;
  }

  /** Must be called when a request starts, which is the probe during an outage, and `end` when it has ended. */
  start(turn: number): void {
    if (this.#outage) this.#outage.probe = turn;
  }

  /** If there was neither success nor failure, the next request is the probe. */
  end(turn: number): void {
    if (this.#outage?.probe === turn) this.#outage.probe = undefined;
  }

  /** The service has responded for a site. */
  succeeded(site: string): void {
    // A list may work where nothing else does.
    if (site === "") return;
    this.#outage = undefined;
    for (const failed of this.#row) this.#alone.add(failed);
    // Clearing an empty set would make another one for each response.
    if (this.#row.size > 0) this.#row.clear();
    this.#alone.delete(site);
  }

  /** The service has refused a request for its own reasons: a probe shows by it that the service works, for any other it says little. */
  refused(turn: number): void {
    if (this.#outage?.probe === turn) this.#outage = undefined;
  }

  /** @param turn of the request: during an outage, only that of the probe counts */
  failed(failure: ServiceFailure, turn: number): void {
    const { site, error, isFinal = false } = failure;
    const outage = this.#outage;
    const now = performance.now();
    if (!outage) {
      if (site === "" || this.#alone.has(site)) return;
      this.#row.add(site);
      if (this.#row.size >= SITES) this.#doubt(failure, now);
      return;
    }
    if (outage.probe !== turn && !isFinal) return;
    // Several requests may wait for the token that one request could not get.
    if (outage.mode === "open" && outage.probe === undefined && now < outage.nextProbeAt) return;
    if (site !== "") this.#row.add(site);
    outage.probes += 1;
    outage.probe = undefined;
    outage.error = error;
    outage.lastProbeAt = now;
    this.#schedule(outage, failure, now);
  }

  #doubt(failure: ServiceFailure, now: number): void {
    this.#outage = {
      mode: "testing",
      since: now,
      retries: new Retries(this.#delaysMs),
      error: failure.error,
      nextProbeAt: now,
      lastProbeAt: now,
      pauseMs: FIRST_PAUSE_MS,
      probes: 0,
    };
    this.#schedule(this.#outage, failure, now);
  }

  #schedule(outage: Outage, { error, isFinal = false }: ServiceFailure, now: number): void {
    const outcome = outcomeOf(error);
    if (outage.mode === "testing" && !isFinal && outcome !== undefined) {
      outage.retries.begin(now);
      const delay = outage.retries.delayAfter(outcome, now, Math.random());
      if (delay !== undefined) {
        outage.nextProbeAt = now + delay;
        return;
      }
    }
    outage.nextProbeAt = now + outage.pauseMs;
    outage.pauseMs = Math.min(outage.pauseMs * 2, MAX_PAUSE_MS);
    if (outage.mode === "open") return;
    outage.mode = "open";
    this.#opening.abort();
    this.#opening = new AbortController();
  }
}
