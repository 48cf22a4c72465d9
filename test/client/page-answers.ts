// Pages of lists that a service answers, for the tests of pagination.
import type { IncomingMessage } from "node:http";
import type { ServiceClient } from "../../src/client/service-client";
import { startService, type TestService } from "../support/service";
import { clientOf } from "./clients";

export const ALERTS = /\/v1\/alerts$/;

interface Reply {
  body: unknown;
  link?: string;
}

export const alert = (id: number): object => ({ id, severity: "LOW" });

export const idsOf = (alerts: object[]): unknown[] =>
  alerts.map((item) => ("id" in item ? item.id : undefined));

/** A service and its client for the tests of one group; what one test changes is gone in the next. */
export class ListService {
  service!: TestService;
  client!: ServiceClient;

  constructor() {
    before(async () => {
      this.service = await startService();
      this.client = clientOf(this.service);
    });
    afterEach(() => {
      this.service.clearFaults();
      this.service.requests.splice(0);
    });
    after(async () => {
      this.client.close();
      await this.service.close();
    });
  }

  /** @param reply makes a page from the query of its request, and from how many there were */
  answer(path: RegExp, reply: (query: URLSearchParams, count: number) => Reply): void {
    let count = 0;
    this.service.fault({
      path,
      times: Infinity,
      respond: (request: IncomingMessage, response) => {
        const { searchParams } = new URL(request.url ?? "", this.service.baseUrl);
        const { body, link } = reply(searchParams, ++count);
        if (link !== undefined) response.setHeader("link", link);
        response.end(JSON.stringify(body));
      },
    });
  }
}
