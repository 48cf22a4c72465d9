// Sends the requests of one account within its limits, with retries, and remembers how the last ones went.
import { sleep, withSignal } from "../../abort";
import { systemClock, type TimeSource } from "../../clock";
import { AbortedError, EnergyError, type ErrorCode, type ErrorText } from "../../errors";
import type { ConnectionSettings } from "../connection";
import { Exchange } from "./exchange";
import { Admission, type RunOptions } from "./admission";
import type { Turn } from "./gate";
import type { HttpRequest } from "./request";
import { type HttpResponse, isSuccess } from "./response";
import { type Outcome, outcomeOf, Retries } from "./retry";

/** What the dialogs may request: little enough that the nodes of the account do not notice. */
const GUEST = { concurrency: 2, requestsPerMinute: 30 };

export class Transport {
  readonly #exchange: Exchange;
  readonly admission: Admission;
  readonly #retryDelaysMs: readonly number[] | undefined;
  readonly #closing: AbortSignal;
  readonly #host: Transport | undefined;
  /** How the last requests went. */
  readonly log: RequestLog;

  /**
   * @param time learns the service's time from its responses
   * @param closing aborts all requests
   * @param host whose connections a guest uses: then each request takes a turn there, too, within the limits of guests, and is
   * not retried, because a person waits
   */
  constructor(settings: ConnectionSettings, time: TimeSource, closing: AbortSignal, host?: Transport) {
    this.#closing = closing;
    this.#host = host;
    this.#exchange = host ? host.#exchange : new Exchange(settings, time, closing);
    this.log = host?.log ?? new RequestLog();
    this.#retryDelaysMs = host ? [] : settings.retryDelaysMs;
    const { concurrency, requestsPerMinute } = host ? GUEST : settings;
    this.admission = new Admission(concurrency, requestsPerMinute, this.#retryDelaysMs, closing);
  }

  get isGuest(): boolean {
    return this.#host !== undefined;
  }

  /**
   * The service's response, whatever its status. Every request only reads, so it is safe to retry.
   * @param request called for each attempt, when its turn has come
   * @param options `once`: without retries
   * @throws what Exchange.send and Admission.run throw
   */
  async send(
    request: () => HttpRequest,
    signal: AbortSignal,
    options: RunOptions & { once?: boolean } = {},
  ): Promise<HttpResponse> {
    const retries = new Retries(options.once ? [] : this.#retryDelaysMs);
    const host = this.#host?.admission;
    const start = (turn: Turn): Promise<HttpResponse> => this.#attempt(request(), retries, signal, turn);
    const asGuest = host && { ...options, requirement: undefined, isGuest: true };
    const task = host ? (turn: Turn) => host.run(() => start(turn), signal, asGuest) : start;
    // While the service fails for all sites, a list does not hold up the request for a site that finds out whether it is back.
    const delayAfter = (outcome: Outcome): number | undefined =>
      options.site === "" && this.admission.gate.isOpen ? undefined : retries.delayAfter(outcome);
    for (;;) {
      let delay: number | undefined;
      try {
        const response = await this.admission.run(task, signal, options);
        delay = delayAfter(response);
        if (delay === undefined) return response;
      } catch (error) {
        const outcome = outcomeOf(error);
        // An error status is a response; as an error, it is of a token or a pause.
        if (typeof outcome === "string") delay = delayAfter(outcome);
        if (delay === undefined) throw error;
      }
      // All others fail now: none waits to do so.
      const { downError } = this.admission.gate;
      if (downError) throw downError;
      const wait = delay;
      await withSignal([signal, this.#closing], (either) => sleep(wait, either));
    }
  }

  async #attempt(
    request: HttpRequest,
    retries: Retries,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<HttpResponse> {
    // A guest has waited for the turn of the account: only now does its minute begin.
    turn.startedAt = performance.now();
    const { startedAt } = turn;
    const [at, attempt] = [systemClock.now(), retries.begin(startedAt)];
    const note = (outcome: RequestEntry["outcome"]): void =>
      this.log.note({ what: request.what, at, duration: performance.now() - startedAt, attempt, outcome });
    try {
      const response = await this.#exchange.send(request, signal);
      note(response.status);
      this.admission.gate.observe(response, turn);
      return response;
    } catch (error) {
      note(reasonFor(error));
      this.admission.gate.failed(error, turn.site, turn);
      throw error;
    }
  }
}

/** One attempt of a request. */
export interface RequestEntry {
  /** Such as `Telemetry of site S1`. */
  readonly what: ErrorText;
  /** When it started, in milliseconds by the local clock. */
  readonly at: number;
  /** Milliseconds until the whole response was there, or the attempt failed. */
  readonly duration: number;
  /** 1 for the first attempt; a retry has a higher number. */
  readonly attempt: number;
  /** HTTP status, or why there is none. */
  readonly outcome: number | ErrorCode | "aborted";
}

/** How many attempts are remembered. */
const SIZE = 20;

export class RequestLog {
  /** The last attempts, oldest first. */
  readonly entries: RequestEntry[] = [];
  /** When the last successful request started, in milliseconds by the local clock. */
  lastSuccess: number | undefined;

  note(entry: RequestEntry): void {
    this.entries.push(entry);
    if (this.entries.length > SIZE) this.entries.shift();
    if (typeof entry.outcome === "number" && isSuccess(entry.outcome)) this.lastSuccess = entry.at;
  }
}

/** Why there is no status. */
function reasonFor(error: unknown): ErrorCode | "aborted" {
  if (error instanceof EnergyError) return error.code;
  return error instanceof AbortedError ? "aborted" : "ENERGY_INTERNAL";
}
