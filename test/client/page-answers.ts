// Pages of lists that a service answers, for the tests of pagination.
import type { IncomingMessage } from "node:http";
import type { TestService } from "../support/service";

export const ALERTS = /\/v1\/alerts$/;

interface Reply {
  body: unknown;
  link?: string;
}

export const alert = (id: number): object => ({ id, severity: "LOW" });

export const idsOf = (alerts: object[]): unknown[] =>
  alerts.map((item) => ("id" in item ? item.id : undefined));

/** @param reply makes a page from the query of its request, and from how many there were */
export function answerPages(
  service: TestService,
  path: RegExp,
  reply: (query: URLSearchParams, count: number) => Reply,
): void {
  let count = 0;
  service.fault({
    path,
    times: Infinity,
    respond(request: IncomingMessage, response) {
      const { searchParams } = new URL(request.url ?? "", service.baseUrl);
      const { body, link } = reply(searchParams, ++count);
      if (link !== undefined) response.setHeader("link", link);
      response.end(JSON.stringify(body));
    },
  });
}
