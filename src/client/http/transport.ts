// Sends the requests of one account: in their turn, within the limits, and again when that may well help.
import type { ConnectionSettings } from "../connection";
import { NetworkError } from "../../errors";
import { Exchange, type HttpAnswer, type HttpRequest } from "./exchange";
import { Limiter } from "./limiter";
import { isTransient, retryDelayMs } from "./retry";
import { sleep } from "../../waiting";

export class Transport {
  private readonly exchange: Exchange;
  private readonly limiter: Limiter;

  constructor(settings: ConnectionSettings) {
    this.exchange = new Exchange(settings);
    this.limiter = new Limiter(settings.concurrency, settings.requestsPerMinute);
  }

  /**
   * The answer of the service, whatever its status. All requests read only, so that each may be repeated.
   * @throws what Exchange.send and Limiter.run throw
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.limiter.run(() => this.attempt(request, signal), signal);
      const isAnswer = !(outcome instanceof NetworkError);
      const delay = retryDelayMs(isAnswer ? outcome : {}, attempt, Math.random());
      if (delay !== undefined) await sleep(delay, signal);
      else if (isAnswer) return outcome;
      else throw outcome;
    }
  }

  close(): void {
    this.exchange.close();
  }

  private async attempt(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | NetworkError> {
    try {
      const answer = await this.exchange.send(request, signal);
      if (answer.retryAfter !== undefined && isTransient(answer.status)) {
        this.limiter.holdBack(answer.retryAfter, answer.status);
      }
      return answer;
    } catch (error) {
      if (error instanceof NetworkError) return error;
      throw error;
    }
  }
}
