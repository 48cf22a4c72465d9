// Logs requests in order, and waits for future ones.
import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";

export interface ReceivedRequest {
  method: string;
  /** The path and query as sent. */
  url: string;
  /** The path without the query. */
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
  /** In milliseconds, by the service's clock. */
  at: number;
}

export class RequestLog {
  readonly all: ReceivedRequest[] = [];
  readonly #events = new EventEmitter();

  add(request: ReceivedRequest): void {
    this.all.push(request);
    this.#events.emit("request");
  }

  /** The requests whose path matches. */
  to(path: RegExp): ReceivedRequest[] {
    return this.all.filter((request) => path.test(request.path));
  }

  /** Resolves once there are `count` requests whose path matches. */
  async reach(path: RegExp, count: number): Promise<void> {
    while (this.to(path).length < count) await once(this.#events, "request");
  }
}
