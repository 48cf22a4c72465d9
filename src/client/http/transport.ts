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
      const outcome = await this.#limiter.run(() => this.#attempt(request, signal), signal);
      const isResponse = !(outcome instanceof NetworkError);
      const delay = retryDelayMs(isResponse ? outcome : {}, attempt, Math.random());
      if (delay !== undefined) await sleep(delay, signal);
      else if (isResponse) return outcome;
      else throw outcome;
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#exchange.close();
  }

  async #attempt(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse | NetworkError> {
    try {
      const response = await this.#exchange.send(request, signal);
      if (response.retryAfter !== undefined && isTransient(response.status)) {
        this.#limiter.pause(response.retryAfter, response.status);
      }
      return response;
    } catch (error) {
      if (error instanceof NetworkError) return error;
      throw error;
    }
  }
}
