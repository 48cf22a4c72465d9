// Sends the requests of one account within its limits, with retries.
import { NetworkError } from "../../errors";
import { sleep } from "../../waiting";
import type { ConnectionSettings } from "../connection";
import type { HttpResponse } from "./response";
import { Exchange } from "./exchange";
import { Limiter } from "./limiter";
import type { HttpRequest } from "./request";
import { isTransient, retryDelayMs } from "./retry";

export class Transport {
  readonly #exchange: Exchange;
  readonly #limiter: Limiter;

  constructor(settings: ConnectionSettings) {
    this.#exchange = new Exchange(settings);
    this.#limiter = new Limiter(settings.concurrency, settings.requestsPerMinute);
  }

  /**
   * The service's response, whatever its status. Every request only reads, so it is safe to retry.
   * @throws what Exchange.send and Limiter.run throw
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    for (let attempt = 1; ; attempt++) {
      let delay: number | undefined;
      try {
        const response = await this.#limiter.run(() => this.#attempt(request, signal), signal);
        delay = retryDelayMs(response, attempt, Math.random());
        if (delay === undefined) return response;
      } catch (error) {
        delay = error instanceof NetworkError ? retryDelayMs({}, attempt, Math.random()) : undefined;
        if (delay === undefined) throw error;
      }
      await sleep(delay, signal);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#exchange.close();
  }

  async #attempt(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const response = await this.#exchange.send(request, signal);
    // Before the next request has its turn.
    if (response.retryAfter !== undefined && isTransient(response.status))
      this.#limiter.pause(response.retryAfter, response.status);
    return response;
  }
}
