// Limits the requests of one account: in parallel, in their pace, and while the service asks for a pause.
import { AbortedError } from "../../errors";
import { onAbort } from "../../waiting";
import { ANYONE, Claim } from "./caller";
import { Pace } from "./pace";
import { Pause } from "./pause";
import { isTransient } from "./retry";
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
export interface LimiterState {
  /** Requests that have started and not ended. */
  readonly inFlight: number;
  /** Requests that wait for their turn, for a token, or for the end of a pause. */
  readonly waiting: number;
  /** Milliseconds between two requests while the service refuses some with 429; 0 = not slowed down. */
  readonly spacing: number;
  /** The pause that the service asked for with Retry-After: milliseconds until its end, and the status of that response. */
  readonly pause?: { readonly remaining: number; readonly status: number };
}

type EndProbe = ReturnType<Pause["startProbe"]>;

interface Waiter extends WaitingRequest {
  readonly requirement: Requirement | undefined;
  readonly signal: AbortSignal;
  readonly start: (endProbe: EndProbe) => void;
  readonly fail: (error: unknown) => void;
}

export class Limiter {
  readonly #concurrency: number;
  readonly #waiters = new WaitingRequests<Waiter>();
  readonly #pace: Pace;
  readonly #pause = new Pause();
  /** Those in use by requests in flight, and by requests that meet their requirement in their turn. */
  #slots = 0;
  #inFlight = 0;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param requestsPerMinute 0 = no limit */
  constructor(concurrency: number, requestsPerMinute: number) {
    this.#concurrency = concurrency;
    this.#pace = new Pace(requestsPerMinute);
  }

  /**
   * Runs the task when its turn comes, which may be at once. An aborted task that waits leaves the queue at once; one that runs
   * has to end by itself.
   * @throws RateLimitError or HttpError, without running the task, during a pause of more than a minute; AbortedError; what the
   * requirement throws
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal, options: RunOptions = {}): Promise<T> {
    this.#pause.throwIfLong();
    if (signal.aborted) throw new AbortedError();
    const isUrgent = options.isUrgent === true;
    let endProbe: EndProbe;
    if (this.#canStart(options)) {
      if (!isUrgent) this.#slots += 1;
      endProbe = this.#begin();
    } else {
      endProbe = await this.#wait(signal, options);
    }
    try {
      return await task();
    } finally {
      this.#inFlight -= 1;
      if (!isUrgent) this.#slots -= 1;
      endProbe?.(signal.aborted);
      if (this.#waiting > 0) this.#startWaiting();
    }
  }

  /** What the limiter is doing at this moment. */
  get state(): LimiterState {
    const pause = this.#pause.remaining(performance.now());
    return {
      inFlight: this.#inFlight,
      waiting: this.#waiting,
      spacing: this.#pace.spacing,
      ...(pause && { pause }),
    };
  }

  /**
   * Learns from a response. Must be called before the task ends, so that no other request starts first.
   * @param startedAt when the request started, from performance.now
   */
  observe(response: { status: number; retryAfter?: number | undefined }, startedAt: number): void {
    const { status, retryAfter } = response;
    if (retryAfter !== undefined && isTransient(status)) this.#pause.begin(retryAfter, status);
    else if (status === 429) this.#slowDown(startedAt);
    else if (status < 300) this.#pace.recover();
  }

  #slowDown(startedAt: number): void {
    if (!this.#pause.beginAgain()) this.#pace.slowDown(startedAt);
  }

  get #isSlotFree(): boolean {
    return this.#slots < this.#concurrency;
  }

  /** Whether nothing speaks against a request that does not wait yet. */
  #canStart({ requirement, isUrgent }: RunOptions): boolean {
    const isFirst = isUrgent ? !this.#waiters.isAnyUrgent : this.#waiting === 0 && this.#isSlotFree;
    return isFirst && !this.#pause.probe && this.#waitMs() <= 0 && requirement?.isMet() !== false;
  }

  #waitMs(): number {
    const now = performance.now();
    return Math.max(this.#pause.waitMs(now), this.#pace.waitMs(now));
  }

  /** Notes that a request starts. */
  #begin(): EndProbe {
    this.#inFlight += 1;
    this.#pace.start(performance.now());
    return this.#pause.startProbe();
  }

  #wait(signal: AbortSignal, { requirement, claim, isUrgent = false }: RunOptions): Promise<EndProbe> {
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
        start: (endProbe) => (end(), resolve(endProbe)),
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
      if (this.#failAll()) return;
      const wait = this.#waitMs();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#startWaiting(), wait);
        return;
      }
      // It goes on when the probe has ended.
      if (this.#pause.probe) return;
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
      else waiter.start(this.#begin());
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
      .catch((error: unknown) => this.#fail(waiter, error))
      .finally(() => this.#startWaiting());
  }

  #fail(waiter: Waiter, error: unknown): void {
    if (waiter.hasSlot) this.#slots -= 1;
    waiter.fail(error);
  }

  /** Fails all that wait if none may start for long, each with an error of its own. Returns whether it did. */
  #failAll(): boolean {
    const error = this.#refusal();
    if (error === undefined) return false;
    for (let waiter = this.#waiters.take(); waiter; waiter = this.#waiters.take())
      this.#fail(waiter, this.#refusal() ?? error);
    return true;
  }

  /** Why no request may start for long. */
  #refusal(): unknown {
    try {
      this.#pause.throwIfLong();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
