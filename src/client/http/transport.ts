// Sends the requests of one account: in turn, within the limits, and again where that may help.
import { NetworkError } from "../../errors";
import { sleep } from "../../waiting";
import type { ConnectionSettings } from "../connection";
import type { HttpAnswer } from "./answer";
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
   * The service's answer, whatever its status. All requests only read, so each may be repeated.
   * @throws what Exchange.send and Limiter.run throw
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#limiter.run(() => this.#attempt(request, signal), signal);
      const isAnswer = !(outcome instanceof NetworkError);
      const delay = retryDelayMs(isAnswer ? outcome : {}, attempt, Math.random());
      if (delay !== undefined) await sleep(delay, signal);
      else if (isAnswer) return outcome;
      else throw outcome;
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#exchange.close();
  }

  async #attempt(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | NetworkError> {
    try {
      const answer = await this.#exchange.send(request, signal);
      if (answer.retryAfter !== undefined && isTransient(answer.status)) {
        this.#limiter.holdBack(answer.retryAfter, answer.status);
      }
      return answer;
    } catch (error) {
      if (error instanceof NetworkError) return error;
      throw error;
    }
  }
}
