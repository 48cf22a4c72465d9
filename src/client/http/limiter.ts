// Limits the requests of one account: in parallel, in their pace, and while the service asks for a pause or fails for all.
import { AbortedError, EnergyError } from "../../errors";
import { onAbort } from "../../abort";
import type { ServiceFailure } from "./breaker";
import { ANYONE, Claim } from "./caller";
import { Gates, type GateState, type Turn } from "./gates";
import { type WaitingRequest, WaitingRequests } from "./waiting-requests";

/** Something that a request needs when it starts, such as a token. */
export interface Requirement {
  /** Whether the request can start. Called when its turn comes. May throw: then the request fails. */
  isMet(): boolean;
  /** Resolves when the request can start. May send a request of its own. */
  meet(signal: AbortSignal): Promise<void>;
}

export interface RunOptions {
  requirement?: Requirement;
  /** Needs no free slot, because running tasks may wait for this one. Pace and pauses still apply. */
  isUrgent?: boolean;
  /** Whose turn it is among those that wait. */
  claim?: Claim;
}

/** What the limiter is doing at a moment. */
export interface LimiterState extends GateState {
  /** Requests that have started and not ended. */
  readonly inFlight: number;
  /** Requests that wait for their turn, for a token, or for the end of a pause. */
  readonly waiting: number;
}

interface Waiter extends WaitingRequest {
  readonly requirement: Requirement | undefined;
  readonly signal: AbortSignal;
  readonly start: (turn: Turn) => void;
  readonly fail: (error: unknown) => void;
}

export class Limiter {
  readonly #concurrency: number;
  readonly #waiters = new WaitingRequests<Waiter>();
  readonly #gates: Gates;
  /** Those in use by requests in flight, and by requests that meet their requirement in their turn. */
  #slots = 0;
  #inFlight = 0;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param requestsPerMinute and `retryDelaysMs`: see Gates */
  constructor(concurrency: number, requestsPerMinute: number, retryDelaysMs?: readonly number[]) {
    this.#concurrency = concurrency;
    this.#gates = new Gates(requestsPerMinute, retryDelaysMs);
  }

  /**
   * Runs the task when its turn comes, which may be at once. An aborted task that waits leaves the queue at once; one that runs
   * has to end by itself.
   * @param task gets the number of its turn, for `failed`
   * @throws without running the task: RateLimitError or HttpError during a pause of more than a minute; ServiceDownError while the
   * service fails for all sites; AbortedError; what the requirement throws
   */
  async run<T>(
    task: (turn: number) => Promise<T>,
    signal: AbortSignal,
    options: RunOptions = {},
  ): Promise<T> {
    const { isUrgent = false, claim } = options;
    if (!isUrgent) this.#gates.arrive((claim?.caller ?? ANYONE).priority, claim?.site ?? "");
    const refusal = this.#gates.refusal(isUrgent);
    if (refusal) throw refusal;
    if (signal.aborted) throw new AbortedError();
    let turn: Turn;
    if (this.#canStart(options)) {
      if (!isUrgent) this.#slots += 1;
      turn = this.#begin(isUrgent);
    } else {
      turn = await this.#wait(signal, options);
    }
    try {
      return await task(turn.number);
    } finally {
      this.#inFlight -= 1;
      if (!isUrgent) this.#slots -= 1;
      turn.end?.(signal.aborted);
      if (this.#waiting > 0) this.#startWaiting();
    }
  }

  /** What the limiter is doing at this moment. */
  get state(): LimiterState {
    return { inFlight: this.#inFlight, waiting: this.#waiting, ...this.#gates.state };
  }

  /** See Gates. Must be called before the task ends, so that no other request starts first, as `succeeded` and `failed`. */
  observe(
    response: { status: number; retryAfter?: number | undefined },
    startedAt: number,
  ): boolean | undefined {
    return this.#gates.observe(response, startedAt);
  }

  succeeded(site: string): void {
    this.#gates.succeeded(site);
  }

  failed(failure: ServiceFailure, turn: number): void {
    this.#gates.failed(failure, turn);
  }

  /** See Gates. */
  waitToRetry(ms: number, signal: AbortSignal): Promise<void> {
    return this.#gates.waitToRetry(ms, signal);
  }

  get #isSlotFree(): boolean {
    return this.#slots < this.#concurrency;
  }

  /** Whether nothing speaks against a request that does not wait yet. */
  #canStart({ requirement, isUrgent = false }: RunOptions): boolean {
    const isFirst = isUrgent ? !this.#waiters.isAnyUrgent : this.#waiting === 0 && this.#isSlotFree;
    return isFirst && this.#gates.waitMs(isUrgent) <= 0 && requirement?.isMet() !== false;
  }

  #begin(isUrgent: boolean): Turn {
    this.#inFlight += 1;
    return this.#gates.begin(isUrgent);
  }

  #wait(signal: AbortSignal, { requirement, claim, isUrgent = false }: RunOptions): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting -= 1;
        cancel();
      };
      const waiter: Waiter = {
        requirement,
        claim: claim ?? new Claim(ANYONE),
        signal,
        isUrgent,
        hasSlot: false,
        start: (turn) => (end(), resolve(turn)),
        fail: (error) => (end(), reject(error)),
      };
      this.#waiting += 1;
      this.#waiters.add(waiter);
      const cancel = onAbort(signal, () => {
        // Whoever meets a requirement aborts by itself.
        if (!waiter.leave) return;
        waiter.leave();
        this.#fail(waiter, new AbortedError());
        this.#startWaiting();
      });
      this.#startWaiting();
    });
  }

  /** Starts those whose turn it is. Called whenever that may have changed. */
  #startWaiting(): void {
    clearTimeout(this.#timer);
    while (this.#waiters.isAnyNext(this.#isSlotFree)) {
      if (this.#failRefused()) continue;
      const wait = this.#gates.waitMs(this.#waiters.isAnyUrgent);
      if (wait > 0) {
        // While one request probes, the others go on when it has ended.
        if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startWaiting(), wait);
        return;
      }
      const waiter = this.#waiters.take();
      if (waiter) this.#start(waiter);
    }
  }

  #start(waiter: Waiter): void {
    const { requirement, isUrgent } = waiter;
    if (!isUrgent && !waiter.hasSlot) {
      this.#slots += 1;
      waiter.hasSlot = true;
    }
    try {
      if (requirement?.isMet() === false) this.#meet(waiter, requirement);
      else waiter.start(this.#begin(isUrgent));
    } catch (error) {
      this.#fail(waiter, error);
    }
  }

  /** Meets a requirement while others wait, because that may take a request with a turn of its own. */
  #meet(waiter: Waiter, requirement: Requirement): void {
    const meet = async (): Promise<void> => {
      await requirement.meet(waiter.signal);
      if (waiter.signal.aborted) throw new AbortedError();
      this.#waiters.add(waiter);
    };
    meet()
      .catch((error: unknown) => {
        if (error instanceof EnergyError) this.#gates.unmet(waiter.claim.site, error);
        this.#fail(waiter, error);
      })
      .finally(() => this.#startWaiting());
  }

  #fail(waiter: Waiter, error: unknown): void {
    if (waiter.hasSlot) this.#slots -= 1;
    waiter.fail(error);
  }

  /** Fails the next request if it may not start for long. Returns whether it did. */
  #failRefused(): boolean {
    const isUrgent = this.#waiters.isAnyUrgent;
    const refusal = this.#gates.refusal(isUrgent);
    const waiter = refusal && this.#waiters.take();
    if (waiter) this.#fail(waiter, refusal);
    return waiter !== undefined;
  }
}
