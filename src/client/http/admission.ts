// Decides when a request of an account may be sent: slots and turns here, what holds requests in the gate.
import { onAbort } from "../../abort";
import { AbortedError, type EnergyError } from "../../errors";
import { ANYONE, type Caller, FairQueue } from "./fair-queue";
import { Gate, type Turn } from "./gate";
import { outcomeOf } from "./retry";

/** Something that a request needs when it starts, such as a token. */
export interface Requirement {
  /** Whether the request can start. */
  isMet(): boolean;
  /** Resolves when the request can start, or rejects: then it fails. May send a request of its own. */
  meet(signal: AbortSignal): Promise<void>;
}

/** Called when its turn has come, or with why it fails. */
type Waiter = (refusal?: EnergyError) => void;

export interface RunOptions {
  /** Met before the request joins the queue, and again if it is met no longer when the turn comes. */
  requirement?: Requirement | undefined;
  /** Has the next turn and is not held by a service that fails, because others wait for it. Pace and pauses still apply. */
  isUrgent?: boolean;
  /** Callers take turns. By default, one for whom a person waits. */
  caller?: Caller;
  /** By default, none. */
  site?: string;
  /** Takes a turn, and says nothing about the service: it is no probe, and its outcome does not count. */
  isGuest?: boolean;
  /** Reaches back beyond the present, and may fail while that has an answer. */
  reachesBack?: boolean;
}

export class Admission {
  readonly #concurrency: number;
  readonly #closing: AbortSignal;
  readonly #queue = new FairQueue<Waiter>();
  readonly #urgent = new FairQueue<Waiter>();
  /** Learns from responses and failures before their task ends, so that no other request starts first. */
  readonly gate: Gate;
  #inFlight = 0;
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
    this.gate = new Gate(requestsPerMinute, retryDelaysMs);
  }

  /** What the account's requests are doing at the moment, and what holds them. */
  get state() {
    return {
      /** Requests that have started and not ended. */
      inFlight: this.#inFlight,
      /** Requests that wait for their turn, for a token, or for the end of a pause. */
      waiting: this.#urgent.size + this.#queue.size + this.#unready,
      ...this.gate.state,
    };
  }

  /**
   * Runs the task when its turn comes, which may be at once. An aborted task that waits leaves the queue at once; one that runs
   * has to end by itself.
   * @throws without running the task: RateLimitError or HttpError during a pause of more than a minute; ServiceDownError while the
   * service fails for all sites; AbortedError; what the requirement throws
   */
  async run<T>(task: (turn: Turn) => Promise<T>, signal: AbortSignal, options: RunOptions = {}): Promise<T> {
    const { requirement, isUrgent, caller = ANYONE, site = "", isGuest, reachesBack } = options;
    if (!isUrgent && !isGuest) this.gate.hurry(caller, site);
    let turn: Turn | undefined;
    while (!turn) {
      const refusal = this.gate.refusal(isUrgent, reachesBack);
      if (refusal) throw refusal;
      if (signal.aborted || this.#closing.aborted) throw new AbortedError();
      if (requirement?.isMet() === false) await this.#meet(requirement, signal, site);
      else if (this.#canStart(isUrgent)) turn = this.#start(options);
      else turn = await this.#wait(signal, options);
    }
    try {
      return await task(turn);
    } finally {
      this.#inFlight -= 1;
      this.gate.end(turn, signal.aborted);
      this.#startWaiting();
    }
  }

  get #isSlotFree(): boolean {
    return this.#inFlight < this.#concurrency;
  }

  /** Whether a request that does not wait yet may start before all that do. */
  #canStart(isUrgent = false): boolean {
    const isFirst = this.#urgent.size === 0 && (isUrgent || this.#queue.size === 0);
    return isFirst && this.#isSlotFree && this.gate.waitMs(isUrgent) <= 0;
  }

  #start({ isUrgent, isGuest = false, reachesBack = false, site = "" }: RunOptions): Turn {
    this.#inFlight += 1;
    const turn = { startedAt: performance.now(), site: isUrgent ? undefined : site, reachesBack };
    this.gate.start(turn, isGuest);
    return turn;
  }

  /** Meets a requirement without a slot, because that may take a request with a turn of its own. */
  async #meet(requirement: Requirement, signal: AbortSignal, site: string): Promise<void> {
    this.#unready += 1;
    try {
      await requirement.meet(signal);
    } catch (error) {
      const outcome = outcomeOf(error);
      if (typeof outcome !== "object" || outcome.status >= 500) this.gate.failed(error, site);
      this.#startWaiting();
      throw error;
    } finally {
      this.#unready -= 1;
    }
  }

  /** Resolves to the turn of a request, or to undefined if its requirement is met no longer, or it may not start at all. */
  #wait(signal: AbortSignal, options: RunOptions): Promise<Turn | undefined> {
    return new Promise((resolve, reject) => {
      const { caller = ANYONE, isUrgent, reachesBack, requirement } = options;
      const end = (): void => {
        leave();
        for (const cancel of cancels) cancel();
      };
      const leave = (isUrgent ? this.#urgent : this.#queue).add((refusal) => {
        end();
        const isReady = requirement?.isMet() !== false && !this.gate.refusal(isUrgent, reachesBack);
        if (refusal) reject(refusal);
        else resolve(isReady ? this.#start(options) : undefined);
      }, caller);
      const abort = (): void => {
        end();
        reject(new AbortedError());
        this.#startWaiting();
      };
      const cancels = [onAbort(signal, abort), onAbort(this.#closing, abort)];
      this.#startWaiting();
    });
  }

  /** Starts those whose turn it is, or fails them if they may not start for long. Called whenever that may have changed. */
  #startWaiting(): void {
    clearTimeout(this.#timer);
    for (;;) {
      const isUrgent = this.#urgent.size > 0;
      if (!this.#isSlotFree || (!isUrgent && this.#queue.size === 0)) return;
      const refusal = this.gate.refusal(isUrgent);
      const wait = refusal ? 0 : this.gate.waitMs(isUrgent);
      if (wait > 0) {
        // While one request probes, the others go on when it has ended.
        if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startWaiting(), wait);
        return;
      }
      (isUrgent ? this.#urgent : this.#queue).take()?.(refusal);
    }
  }
}
