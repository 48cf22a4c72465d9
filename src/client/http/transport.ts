// Sends the requests of one account within its limits, with retries.
import type { ServiceClock } from "../../clock";
import { EnergyError, errorText, HttpError, RateLimitError } from "../../errors";
import type { ConnectionSettings } from "../connection";
import { Exchange } from "./exchange";
import { Limiter, type LimiterState, type RunOptions } from "./limiter";
import type { HttpRequest } from "./request";
import { RequestLog } from "./request-log";
import type { HttpResponse } from "./response";
import { type Outcome, outcomeOf, Retries } from "./retry";

export class Transport {
  readonly #exchange: Exchange;
  readonly #limiter: Limiter;
  readonly #retryDelaysMs: readonly number[] | undefined;
  /** How the last requests went. */
  readonly log = new RequestLog();

  /** @param clock learns the service's time from its responses */
  constructor(settings: ConnectionSettings, clock: ServiceClock) {
    this.#exchange = new Exchange(settings, clock);
    this.#limiter = new Limiter(settings.concurrency, settings.requestsPerMinute, settings.retryDelaysMs);
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
    const { isUrgent = false, claim } = options;
    // A token says nothing about whether the service works.
    const site = isUrgent ? undefined : (claim?.site ?? "");
    const delayAfter = (outcome: Outcome): number | undefined =>
      retries.delayAfter(outcome, performance.now(), Math.random());
    for (;;) {
      let delay: number | undefined;
      try {
        const attempt = (turn: number): Promise<HttpResponse> =>
          this.#attempt(request(), retries, signal, { site, turn });
        const response = await this.#limiter.run(attempt, signal, options);
        delay = delayAfter(response);
        if (delay === undefined) return response;
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome) delay = delayAfter(outcome);
        if (delay === undefined) throw error;
      }
      await this.#limiter.waitToRetry(delay, signal);
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

  async #attempt(
    request: HttpRequest,
    retries: Retries,
    signal: AbortSignal,
    { site, turn }: { site: string | undefined; turn: number },
  ): Promise<HttpResponse> {
    const startedAt = performance.now();
    const end = this.log.begin(request, retries.begin(startedAt));
    try {
      const response = await this.#exchange.send(request, signal);
      end(response.status);
      const works = this.#limiter.observe(response, startedAt);
      if (site !== undefined && works === true) this.#limiter.succeeded(site);
      if (site !== undefined && works === false)
        this.#limiter.failed({ site, outcome: response, error: errorOf(response) }, turn);
      return response;
    } catch (error) {
      if (error instanceof Error) end(error);
      const outcome = outcomeOf(error);
      if (site !== undefined && outcome && error instanceof EnergyError)
        this.#limiter.failed({ site, outcome, error }, turn);
      throw error;
    }
  }
}

/** Why a response without a name says that the service fails. */
function errorOf({ status }: HttpResponse): EnergyError {
  const text = errorText("lastStatus", { status });
  if (status === 429) return new RateLimitError(text, { statusCode: status });
  return new HttpError(text, { statusCode: status });
}
