// Sends the requests of one account within its limits, with retries.
import type { TimeSource } from "../../clock";
import type { ConnectionSettings } from "../connection";
import { Exchange } from "./exchange";
import { Admission, type RunOptions, type Turn } from "./admission";
import type { HttpRequest } from "./request";
import { RequestLog } from "./request-log";
import type { HttpResponse } from "./response";
import { type Outcome, outcomeOf, Retries } from "./retry";

/** What the dialogs may request: little enough that the nodes of the account do not notice. */
const GUEST = { concurrency: 2, requestsPerMinute: 30 };

export class Transport {
  readonly #exchange: Exchange;
  readonly admission: Admission;
  readonly #retryDelaysMs: readonly number[] | undefined;
  readonly #host: Transport | undefined;
  /** How the last requests went. */
  readonly log: RequestLog;

  /**
   * @param time learns the service's time from its responses
   * @param host whose connections a guest uses: then each request takes a turn there, too, within the limits of guests
   */
  constructor(settings: ConnectionSettings, time: TimeSource, host?: Transport) {
    this.#host = host;
    this.#exchange = host ? host.#exchange : new Exchange(settings, time);
    this.log = host?.log ?? new RequestLog();
    const { concurrency, requestsPerMinute } = host ? GUEST : settings;
    this.admission = new Admission(concurrency, requestsPerMinute, settings.retryDelaysMs);
    this.#retryDelaysMs = settings.retryDelaysMs;
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
    { once = false, ...options }: RunOptions & { once?: boolean } = {},
  ): Promise<HttpResponse> {
    const retries = new Retries(once ? [] : this.#retryDelaysMs);
    const delayAfter = (outcome: Outcome): number | undefined =>
      retries.delayAfter(outcome, performance.now(), Math.random());
    for (;;) {
      let delay: number | undefined;
      try {
        const attempt = (turn: Turn): Promise<HttpResponse> => {
          const start = (): Promise<HttpResponse> => this.#attempt(request(), retries, signal, turn);
          const { requirement: _met, ...guest } = { ...options, isGuest: true };
          return this.#host ? this.#host.admission.run(start, signal, guest) : start();
        };
        const response = await this.admission.run(attempt, signal, options);
        delay = delayAfter(response);
        if (delay === undefined) return response;
      } catch (error) {
        const outcome = outcomeOf(error);
        // An error status is a response; as an error, it is of a token or a pause.
        if (typeof outcome === "string") delay = delayAfter(outcome);
        if (delay === undefined) throw error;
      }
      await this.admission.waitToRetry(delay, signal);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#exchange.close();
  }

  async #attempt(
    request: HttpRequest,
    retries: Retries,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<HttpResponse> {
    const end = this.log.begin(request, retries.begin(turn.startedAt));
    try {
      const response = await this.#exchange.send(request, signal);
      end(response.status);
      this.admission.observe(response, turn);
      return response;
    } catch (error) {
      if (error instanceof Error) end(error);
      this.admission.failed(error, turn);
      throw error;
    }
  }
}
