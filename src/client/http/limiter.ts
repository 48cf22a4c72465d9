// Limits the requests of one account: in parallel, in their pace, and while the service asks for a pause.
import fastq from "fastq";
import { AbortedError } from "../../errors";
import { sleep, waitFor } from "../../waiting";
import { Pace } from "./pace";
import { Pause } from "./pause";
import { isTransient } from "./retry";

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

/** The outcome of a turn. An unused one means that the requirement was no longer met. */
interface Turn {
  isUsed: boolean;
  endProbe?: ((isAborted: boolean) => void) | undefined;
}

export class Limiter {
  readonly #queue: fastq.queueAsPromised<() => Promise<unknown>>;
  readonly #pace: Pace;
  readonly #pause = new Pause();
  /** Settles once the last request taken from the queue may start. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** Tasks that `run` has accepted and not settled, and those of them that were started. */
  #open = 0;
  #inFlight = 0;

  /** @param requestsPerMinute 0 = no limit */
  constructor(concurrency: number, requestsPerMinute: number) {
    this.#queue = fastq.promise((job: () => Promise<unknown>) => job(), concurrency);
    this.#pace = new Pace(requestsPerMinute);
  }

  /**
   * Runs the task when its turn comes. An aborted task leaves the queue at once.
   * @throws RateLimitError or HttpError, without running the task, during a pause of more than a minute; AbortedError; what the
   * requirement throws
   */
  async run<T>(
    task: () => Promise<T>,
    signal: AbortSignal,
    { requirement, isUrgent = false }: RunOptions = {},
  ): Promise<T> {
    this.#pause.throwIfLong();
    const job = async (): Promise<T> => {
      const { endProbe } = await this.#start(signal, requirement);
      this.#inFlight += 1;
      try {
        return await task();
      } finally {
        this.#inFlight -= 1;
        endProbe?.(signal.aborted);
      }
    };
    this.#open += 1;
    try {
      return await waitFor(isUrgent ? job() : (this.#queue.push(job) as Promise<T>), signal);
    } finally {
      this.#open -= 1;
    }
  }

  /** What the limiter is doing at this moment. */
  get state(): LimiterState {
    const inFlight = this.#inFlight;
    const pause = this.#pause.remaining(performance.now());
    return {
      inFlight,
      // An aborted request is no longer open, but may still be in flight.
      waiting: Math.max(this.#open - inFlight, 0),
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

  /** Meets the requirement between turns, because that may take a request with a turn of its own. */
  async #start(signal: AbortSignal, requirement: Requirement | undefined): Promise<Turn> {
    for (;;) {
      if (requirement?.isMet() === false) await requirement.meet(signal);
      const turn = await this.#turn(signal, requirement);
      if (turn.isUsed) return turn;
    }
  }

  /** One at a time, so that no request overtakes one that is waiting. */
  #turn(signal: AbortSignal, requirement: Requirement | undefined): Promise<Turn> {
    const turn = this.#lastTurn.then(() => this.#waitToStart(signal, requirement));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #waitToStart(signal: AbortSignal, requirement: Requirement | undefined): Promise<Turn> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      this.#pause.throwIfLong();
      const now = performance.now();
      const wait = Math.max(this.#pause.waitMs(now), this.#pace.waitMs(now));
      if (wait > 0) {
        await sleep(wait, signal);
      } else if (this.#pause.probe) {
        await waitFor(this.#pause.probe, signal);
      } else if (requirement?.isMet() === false) {
        return { isUsed: false };
      } else {
        this.#pace.start(now);
        return { isUsed: true, endProbe: this.#pause.startProbe() };
      }
    }
  }
}
