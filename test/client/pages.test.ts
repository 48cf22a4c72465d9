// Tests for pagination: every common way to refer to the next page, all items once and in order, and no endless loop.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { ServiceClient } from "../../src/client/service-client";
import type { TestService } from "../support/service";
import { clientOf, DAY, failureOf, startFreshService } from "./clients";

const ALERTS = /\/v1\/alerts$/;

interface Reply {
  body: unknown;
  link?: string;
}

describe("pagination", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startFreshService();
    client = clientOf(service);
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  const alert = (id: number): object => ({ id, severity: "LOW" });
  const idsOf = (alerts: object[]): unknown[] => alerts.map((item) => ("id" in item ? item.id : undefined));

  function answerPages(path: RegExp, reply: (query: URLSearchParams, count: number) => Reply): void {
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

  const tokens: [string, (token: string) => object, string][] = [
    ["nextPageToken", (token) => ({ nextPageToken: token }), "pageToken"],
    ["next_page_token", (token) => ({ next_page_token: token }), "page_token"],
    ["meta.nextToken", (token) => ({ meta: { nextToken: token } }), "nextToken"],
    ["pagination.nextCursor", (token) => ({ pagination: { nextCursor: token } }), "cursor"],
    ["paging.next_cursor", (token) => ({ paging: { next_cursor: token } }), "cursor"],
    ["continuationToken", (token) => ({ continuationToken: token }), "continuationToken"],
  ];
  for (const [name, tokenFields, parameter] of tokens) {
    it(`follows ${name}, passed back as ${parameter}`, async () => {
      answerPages(ALERTS, (query) => {
        const page = Number(query.get(parameter)?.slice(5) ?? 1);
        return {
          body: {
            data: [alert(page * 2 - 1), alert(page * 2)],
            ...(page < 3 && tokenFields(`next+${page + 1}`)),
          },
        };
      });
      assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3, 4, 5, 6]);
      assert.equal(service.requestsTo(ALERTS).length, 3);
    });
  }

  it("does not send the fragment of a URL", async () => {
    answerPages(ALERTS, (query) =>
      query.get("page") === "2"
        ? { body: { data: [alert(2)] } }
        : { body: { data: [alert(1)], next: "/v1/alerts?page=2#top" } },
    );
    assert.deepEqual(idsOf(await client.alerts()), [1, 2]);
    const urls = service.requestsTo(ALERTS).map(({ query }) => query);
    assert.deepEqual(urls, [{}, { page: "2" }]);
  });

  it("returns a token unchanged even if it begins with a slash, as base64 may", async () => {
    answerPages(ALERTS, (query) => ({
      body:
        query.get("pageToken") === "/9j+=="
          ? { data: [alert(2)] }
          : { data: [alert(1)], nextPageToken: "/9j+==" },
    }));
    assert.deepEqual(idsOf(await client.alerts()), [1, 2]);
  });

  const links: [string, (url: string) => Reply][] = [
    [
      "the Link header",
      (url) => ({
        body: { data: [] },
        link: `<${url}&page=0>; rel="prev", <${url}>; title="a, b"; rel="last next"`,
      }),
    ],
    ["a Link header without quotes", (url) => ({ body: { data: [] }, link: `<${url}>;rel=next` })],
    ["links.next", (url) => ({ body: { data: [], links: { next: url } } })],
    ["_links.next.href", (url) => ({ body: { data: [], _links: { next: { href: url } } } })],
    ["an absolute nextLink", (url) => ({ body: { data: [], nextLink: new URL(url, service.baseUrl).href } })],
  ];
  for (const [name, reply] of links) {
    it(`follows ${name}, and keeps the query of the first page`, async () => {
      const path = /telemetry$/;
      answerPages(path, (query) =>
        query.has("page") ? { body: { data: [] } } : reply("/v1/sites/a/telemetry?page=2"),
      );
      await client.telemetry({ siteId: "a", systemId: "b", ...DAY });
      const [first, second] = service.requestsTo(path);
      assert.deepEqual(second?.query, { ...first?.query, page: "2" });
      assert.match(second.headers.authorization ?? "", /^Bearer /);
    });
  }

  it("follows page numbers", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("page") ?? 1);
      return { body: { data: [alert(page)], nextPage: page < 3 ? page + 1 : null } };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
  });

  for (const first of [0, 1]) {
    it(`follows a page count, starting at page ${first}`, async () => {
      answerPages(ALERTS, (query) => {
        const page = Number(query.get("page") ?? first);
        return { body: { alerts: [alert(page)], page, totalPages: 3 } };
      });
      assert.deepEqual(idsOf(await client.alerts()), [first, first + 1, first + 2]);
      assert.equal(service.requestsTo(ALERTS).length, 3);
    });
  }

  it("follows an item count", async () => {
    answerPages(ALERTS, (query) => {
      const offset = Number(query.get("offset") ?? 0);
      const data = [alert(offset + 1), alert(offset + 2)].slice(0, 5 - offset);
      return { body: { data, meta: { offset, limit: 2, total: 5, hasMore: offset < 4 } } };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3, 4, 5]);
    assert.equal(service.requestsTo(ALERTS).length, 3);
  });

  for (const [name, count] of Object.entries({
    "page, perPage and total": (page: number) => ({ page, perPage: 1, total: 3 }),
    "page and totalCount in meta": (page: number) => ({ meta: { page, per_page: 1, totalCount: 3 } }),
    "number and totalElements": (page: number) => ({
      page: { number: page - 1, size: 1, totalElements: 3, totalPages: 3 },
    }),
  })) {
    it(`follows ${name}`, async () => {
      const offset = name.startsWith("number") ? 1 : 0;
      answerPages(ALERTS, (query) => {
        const page = Number(query.get("page") ?? 1 - offset) + offset;
        return { body: { alerts: [alert(page)], ...count(page) } };
      });
      assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
      assert.equal(service.requestsTo(ALERTS).length, 3);
    });
  }

  it("follows a cursor while there is more, and ignores a cursor without a flag that says so", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return { body: { data: [alert(page)], cursor: String(page + 1), has_more: page < 3 } };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
    answerPages(ALERTS, () => ({ body: { data: [alert(1)], cursor: "here" } }));
    assert.deepEqual(idsOf(await client.alerts()), [1]);
    assert.equal(service.requestsTo(ALERTS).length, 4);
  });

  it("follows the end cursor while there is another page", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return {
        body: { items: [alert(page)], pageInfo: { hasNextPage: page < 3, endCursor: String(page + 1) } },
      };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
  });

  it("repeats no item if the service ignores the token", async () => {
    answerPages(ALERTS, (_query, count) => ({
      body: { data: [alert(1), alert(2)], nextPageToken: `token-${count}` },
    }));
    assert.deepEqual(idsOf(await client.alerts()), [1, 2]);
    assert.equal(service.requestsTo(ALERTS).length, 2);
  });

  it("stops at a repeated token", async () => {
    answerPages(ALERTS, (_query, count) => ({
      body: { data: [alert(count)], nextPageToken: `token-${count % 3}` },
    }));
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3, 4]);
  });

  it("continues past empty pages", async () => {
    answerPages(ALERTS, (_query, count) => ({
      body: count < 4 ? { data: [], nextPageToken: `token-${count}` } : { data: [alert(1)] },
    }));
    assert.deepEqual(idsOf(await client.alerts()), [1]);
  });

  it("stops after 390 pages", async function () {
    this.timeout(20_000);
    answerPages(ALERTS, (_query, count) => ({
      body: { data: [alert(count)], nextPageToken: `token-${count}` },
    }));
    const error = await failureOf(client.alerts());
    assert.equal(error.code, "ENERGY_RESPONSE");
    assert.match(error.message, /more than 390 pages/);
    assert.equal(service.requestsTo(ALERTS).length, 390);
  });

  for (const outside of [
    "https://other.test/v1/alerts?page=2",
    "https://other.test/base/v1/alerts?page=2",
    "//other.test/base/v1/alerts",
    "/elsewhere/v1/alerts",
    "http://[",
    "https:/base/v1/alerts?page=2",
    "//someone:password@HOST/base/v1/alerts?page=2",
    "//someone@HOST/base/v1/alerts?page=2",
    "http://:password@HOST/base/v1/alerts?page=2",
  ]) {
    it(`does not send the token to ${outside}`, async () => {
      const { host } = new URL(service.baseUrl);
      const prefixed = clientOf({ ...service, baseUrl: `${service.baseUrl}/base` });
      service.fault({ path: /auth$/, body: { access_token: "some-token" } });
      answerPages(ALERTS, () => ({
        body: [alert(1)],
        link: `<${outside.replace("HOST", host)}>; rel="next"`,
      }));
      const error = await failureOf(prefixed.alerts());
      prefixed.close();
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.match(error.message, /outside the base URL/);
      assert.equal(service.requestsTo(ALERTS).length, 1);
    });
  }

  for (const next of [null, "", false, {}]) {
    it(`stops at a next page of ${JSON.stringify(next)}`, async () => {
      answerPages(ALERTS, () => ({ body: { data: [alert(1)], next, links: { next } } }));
      assert.deepEqual(idsOf(await client.alerts()), [1]);
      assert.equal(service.requestsTo(ALERTS).length, 1);
    });
  }
});
