// What has become of requests, in the order in which it did, and what is yet to come.
import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";

export interface ReceivedRequest {
  method: string;
  /** As sent. */
  url: string;
  /** The same without the query. */
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
  /** ms on the service's clock. */
  at: number;
}

export class RequestLog {
  readonly all: ReceivedRequest[] = [];
  readonly #news = new EventEmitter();

  add(request: ReceivedRequest): void {
    this.all.push(request);
    this.#news.emit("request");
  }

  /** Those whose path matches. */
  to(path: RegExp): ReceivedRequest[] {
    return this.all.filter((request) => path.test(request.path));
  }

  /** Resolves once there are so many whose path matches. */
  async reach(path: RegExp, count: number): Promise<void> {
    while (this.to(path).length < count) await once(this.#news, "request");
  }
}
