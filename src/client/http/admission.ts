// Decides when a request of an account may be sent: slots, turns, the pace, and whether the service fails for all.
import { onAbort, sleep, withSignal } from "../../abort";
import { AbortedError, EnergyError, errorText, statusFailure } from "../../errors";
import { Breaker, type BreakerState } from "./breaker";
import { ANYONE, type Caller, FairQueue } from "./fair-queue";
import { Pace, type PaceState } from "./pace";
import { outcomeOf, type PaceSignal } from "./retry";

/** Something that a request needs when it starts, such as a token. */
export interface Requirement {
  /** Whether the request can start. May throw: then the request fails. */
  isMet(): boolean;
  /** Resolves when the request can start. May send a request of its own. */
  meet(signal: AbortSignal): Promise<void>;
}

export interface RunOptions {
  /** Met before the request joins the queue, and again if it is met no longer when the turn comes. */
  requirement?: Requirement;
  /** Needs no free slot and is not held by a service that fails, because others wait for it. Pace and pauses still apply. */
  isUrgent?: boolean;
  /** Callers take turns, and the sites of a caller. By default, someone who waits for the response, and of no site. */
  caller?: Caller;
  site?: string;
  /** Takes a turn, and says nothing about the service: it is no probe, and what becomes of it concerns no one else. */
  isGuest?: boolean;
}

/** A request that has started. */
export interface Turn {
  readonly number: number;
  /** From performance.now. */
  readonly startedAt: number;
  /** "" = of no site; undefined = says nothing about whether the service works, as a token does not. */
  readonly site: string | undefined;
}

/** What the account's requests are doing at a moment. */
export interface AdmissionState extends PaceState {
  /** Requests that have started and not ended. */
  readonly inFlight: number;
  /** Requests that wait for their turn, for a token, or for the end of a pause. */
  readonly waiting: number;
  /** Present while the service fails for all sites. */
  readonly breaker?: BreakerState;
}

interface Waiter {
  /** Its turn has come. */
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

export class Admission {
  readonly #concurrency: number;
  readonly #closing: AbortSignal;
  readonly #queue = new FairQueue<Waiter>();
  readonly #urgent = new FairQueue<Waiter>();
  readonly #pace: Pace;
  readonly #breaker: Breaker;
  #turns = 0;
  #inFlight = 0;
  /** Of those in flight, the ones that need a slot. */
  #slots = 0;
  /** Those that wait for what they require. */
  #unready = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param requestsPerMinute 0 = no limit
   * @param retryDelaysMs of the retries that are made for all while the service fails for all
   * @param closing aborts what waits, and later tasks at once
   */
  constructor(
    concurrency: number,
    requestsPerMinute: number,
    retryDelaysMs?: readonly number[],
    closing = new AbortController().signal,
  ) {
    this.#closing = closing;
    this.#concurrency = concurrency;
    this.#pace = new Pace(requestsPerMinute);
    this.#breaker = new Breaker(retryDelaysMs);
  }

  get state(): AdmissionState {
    const breaker = this.#breaker.state;
    const waiting = this.#urgent.size + this.#queue.size + this.#unready;
    return { inFlight: this.#inFlight, waiting, ...this.#pace.state, ...(breaker && { breaker }) };
  }

  /**
   * Runs the task when its turn comes, which may be at once. An aborted task that waits leaves the queue at once; one that runs
   * has to end by itself.
   * @throws without running the task: RateLimitError or HttpError during a pause of more than a minute; ServiceDownError while the
   * service fails for all sites; AbortedError; what the requirement throws
   */
  async run<T>(task: (turn: Turn) => Promise<T>, signal: AbortSignal, options: RunOptions = {}): Promise<T> {
    const { caller = ANYONE, site = "", isUrgent = false, isGuest = false, requirement } = options;
    if (!isUrgent && !isGuest) this.#breaker.hurry(caller.priority, site);
    let turn: Turn | undefined;
    while (!turn) {
      const refusal = this.#refusal(isUrgent);
      if (refusal) throw refusal;
      if (signal.aborted || this.#closing.aborted) throw new AbortedError();
      if (requirement?.isMet() === false) await this.#meet(requirement, signal, site);
      else if (this.#canStart(isUrgent)) turn = this.#start(isUrgent, isGuest, site);
      else turn = await this.#wait(signal, options);
    }
    try {
      return await task(turn);
    } finally {
      this.#inFlight -= 1;
      if (!isUrgent) this.#slots -= 1;
      this.#breaker.end(turn.number);
      this.#pace.end(turn.number, signal.aborted);
      this.#startWaiting();
    }
  }

  /** Learns from a response. Must be called before the task ends, so that no other request starts first; `failed` likewise. */
  observe(response: PaceSignal, turn: Turn): void {
    const works = this.#pace.observe(response, turn.startedAt);
    if (turn.site === undefined || works === undefined) return;
    const { status: statusCode, retryAfter } = response;
    if (works) {
      if (statusCode < 400) this.#breaker.succeeded(turn.site);
      else this.#breaker.refused(turn.number);
      return;
    }
    const details = { statusCode, ...(retryAfter !== undefined && { retryAfter }) };
    const error = statusFailure(errorText("lastStatus", { status: statusCode }), details);
    this.#breaker.failed({ site: turn.site, error }, turn.number);
  }

  /** Learns from a request that got no response. */
  failed(error: unknown, { site, number }: Turn): void {
    if (site !== undefined && error instanceof EnergyError && outcomeOf(error))
      this.#breaker.failed({ site, error }, number);
  }

  /**
   * Resolves when a request may be retried.
   * @throws ServiceDownError as soon as the service fails for all sites; AbortedError
   */
  async waitToRetry(ms: number, signal: AbortSignal): Promise<void> {
    const { opening } = this.#breaker;
    const refusal = this.#breaker.refusal();
    if (refusal) throw refusal;
    try {
      await withSignal([signal, opening, this.#closing], (either) => sleep(ms, either));
    } catch (error) {
      if (signal.aborted || !opening.aborted) throw error;
      const opened = this.#breaker.refusal();
      // Another request may have succeeded in the meantime: then this one is retried at once.
      if (opened) throw opened;
    }
  }

  /** RateLimitError, HttpError or ServiceDownError if a request may not start for long; otherwise it waits. */
  #refusal(isUrgent: boolean): EnergyError | undefined {
    return this.#pace.refusal() ?? (isUrgent ? undefined : this.#breaker.refusal());
  }

  /** Milliseconds until a request may start; infinite while one probes. */
  #waitMs(isUrgent: boolean): number {
    const now = performance.now();
    return Math.max(this.#pace.waitMs(now), isUrgent ? 0 : this.#breaker.waitMs(now));
  }

  get #isSlotFree(): boolean {
    return this.#slots < this.#concurrency;
  }

  /** Whether a request that does not wait yet may start before all that do. */
  #canStart(isUrgent: boolean): boolean {
    const isFirst = this.#urgent.size === 0 && (isUrgent || (this.#queue.size === 0 && this.#isSlotFree));
    return isFirst && this.#waitMs(isUrgent) <= 0;
  }

  #start(isUrgent: boolean, isGuest: boolean, site: string): Turn {
    this.#inFlight += 1;
    this.#turns += 1;
    const [number, startedAt] = [this.#turns, performance.now()];
    this.#pace.start(isGuest ? undefined : number, startedAt);
    if (isUrgent) return { number, startedAt, site: undefined };
    this.#slots += 1;
    if (!isGuest) this.#breaker.start(number);
    return { number, startedAt, site };
  }

  /** Meets a requirement without a slot, because that may take a request with a turn of its own. */
  async #meet(requirement: Requirement, signal: AbortSignal, site: string): Promise<void> {
    this.#unready += 1;
    try {
      await requirement.meet(signal);
    } catch (error) {
      const outcome = outcomeOf(error);
      const isFailure = typeof outcome === "object" ? outcome.status >= 500 : outcome !== undefined;
      if (isFailure && error instanceof EnergyError)
        this.#breaker.failed({ site, error, isFinal: true }, this.#turns);
      this.#startWaiting();
      throw error;
    } finally {
      this.#unready -= 1;
    }
  }

  /** Resolves to the turn of a request, or to undefined if its requirement is met no longer. */
  #wait(
    signal: AbortSignal,
    { caller = ANYONE, site = "", isUrgent = false, isGuest = false, requirement }: RunOptions,
  ): Promise<Turn | undefined> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        end();
        reject(error);
      };
      const start = (): void => {
        end();
        resolve(requirement?.isMet() === false ? undefined : this.#start(isUrgent, isGuest, site));
      };
      const abort = (): void => {
        fail(new AbortedError());
        this.#startWaiting();
      };
      const leave = (isUrgent ? this.#urgent : this.#queue).add({ start, fail }, caller, site);
      const cancels = [onAbort(signal, abort), onAbort(this.#closing, abort)];
      const end = (): void => {
        leave();
        for (const cancel of cancels) cancel();
      };
      this.#startWaiting();
    });
  }

  /** Starts those whose turn it is, or fails them if they may not start for long. Called whenever that may have changed. */
  #startWaiting(): void {
    clearTimeout(this.#timer);
    for (;;) {
      const isUrgent = this.#urgent.size > 0;
      if (!isUrgent && (this.#queue.size === 0 || !this.#isSlotFree)) return;
      const refusal = this.#refusal(isUrgent);
      const wait = refusal ? 0 : this.#waitMs(isUrgent);
      if (wait > 0) {
        // While one request probes, the others go on when it has ended.
        if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startWaiting(), wait);
        return;
      }
      const waiter = (isUrgent ? this.#urgent : this.#queue).take();
      try {
        if (refusal) waiter?.fail(refusal);
        else waiter?.start();
      } catch (error) {
        waiter?.fail(error);
      }
    }
  }
}
