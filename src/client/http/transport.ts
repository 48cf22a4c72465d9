// Sends the requests of one account within its limits, with retries.
import type { ServiceClock } from "../../clock";
import { NetworkError, TimeoutError } from "../../errors";
import { sleep } from "../../waiting";
import type { ConnectionSettings } from "../connection";
import { Exchange } from "./exchange";
import { Limiter, type LimiterState, type RunOptions } from "./limiter";
import type { HttpRequest } from "./request";
import { RequestLog } from "./request-log";
import type { HttpResponse } from "./response";
import { type Outcome, Retries } from "./retry";

export class Transport {
  readonly #exchange: Exchange;
  readonly #limiter: Limiter;
  readonly #retryDelaysMs: readonly number[] | undefined;
  /** How the last requests went. */
  readonly log = new RequestLog();

  /** @param clock learns the service's time from its responses */
  constructor(settings: ConnectionSettings, clock: ServiceClock) {
    this.#exchange = new Exchange(settings, clock);
    this.#limiter = new Limiter(settings.concurrency, settings.requestsPerMinute);
    this.#retryDelaysMs = settings.retryDelaysMs;
  }

  /**
   * The service's response, whatever its status. Every request only reads, so it is safe to retry.
   * @param request called for each attempt, when its turn has come
   * @param options `once`: without retries
   * @throws what Exchange.send and Limiter.run throw
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
        const attempt = (): Promise<HttpResponse> => this.#attempt(request(), retries, signal);
        const response = await this.#limiter.run(attempt, signal, options);
        delay = delayAfter(response);
        if (delay === undefined) return response;
      } catch (error) {
        if (error instanceof NetworkError) delay = delayAfter("network error");
        if (error instanceof TimeoutError) delay = delayAfter("timeout");
        if (delay === undefined) throw error;
      }
      await sleep(delay, signal);
    }
  }

  /** What the limiter is doing at this moment. */
  get limiterState(): LimiterState {
    return this.#limiter.state;
  }

  /** Closes all connections. */
  close(): void {
    this.#exchange.close();
  }

  async #attempt(request: HttpRequest, retries: Retries, signal: AbortSignal): Promise<HttpResponse> {
    const startedAt = performance.now();
    const end = this.log.begin(request, retries.begin(startedAt));
    try {
      const response = await this.#exchange.send(request, signal);
      end(response.status);
      this.#limiter.observe(response, startedAt);
      return response;
    } catch (error) {
      if (error instanceof Error) end(error);
      throw error;
    }
  }
}
