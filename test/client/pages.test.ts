// Tests for pagination: every common way to refer to the next page, all items once and in order, and no endless loop.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Page } from "../../src/client/http/response";
import { allPages } from "../../src/client/pages";
import type { ServiceClient } from "../../src/client/service-client";
import { errorText } from "../../src/errors";
import { parseAlerts } from "../../src/models/responses";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY, failureOf } from "./clients";

const ALERTS = /\/v1\/alerts$/;

interface Reply {
  body: unknown;
  link?: string;
}

describe("pagination", () => {
  let service: TestService;
  let client: ServiceClient;

  before(async () => {
    service = await startService();
    client = clientOf(service);
  });
  afterEach(() => {
    service.clearFaults();
    service.requests.splice(0);
  });
  after(async () => {
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
    ["nextMarker", (token) => ({ nextMarker: token }), "marker"],
    ["meta.pagination.nextCursor", (token) => ({ meta: { pagination: { nextCursor: token } } }), "cursor"],
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

  it("sends a space in a cursor as %20, not as a plus sign", async () => {
    answerPages(ALERTS, (query) => ({
      body: query.has("cursor") ? { data: [alert(2)] } : { data: [alert(1)], nextCursor: "a +b" },
    }));
    assert.deepEqual(idsOf(await client.alerts()), [1, 2]);
    assert.match(service.requestsTo(ALERTS)[1]?.url ?? "", /cursor=a%20%2Bb$/);
  });

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

  const links: [string, (url: string) => { link?: string } & Record<string, unknown>][] = [
    [
      "the Link header",
      (url) => ({ link: `<${url}&page=0>; rel="prev", <${url}>; title="a, b"; rel="last next"` }),
    ],
    ["a Link header without quotes", (url) => ({ link: `<${url}>;rel=next` })],
    ["links.next", (url) => ({ links: { next: url } })],
    ["_links.next.href", (url) => ({ _links: { next: { href: url } } })],
    ["next_page_url", (url) => ({ next_page_url: url })],
    ["nextPageUrl", (url) => ({ nextPageUrl: url })],
    ["meta.links.next", (url) => ({ meta: { links: { next: url } } })],
    ["@odata.nextLink", (url) => ({ "@odata.nextLink": url.replace(/^.*\//, "") })],
    [
      "a list of links",
      (url) => ({ links: [{ rel: "self", href: "/" }].concat({ rel: "next", href: url }) }),
    ],
    ["an absolute nextLink", (url) => ({ nextLink: new URL(url, service.baseUrl).href })],
  ];
  for (const [name, next] of links) {
    it(`follows ${name}, and keeps the query of the first page`, async () => {
      const path = /telemetry$/;
      answerPages(path, (query) => {
        const { link, ...fields } = query.has("page") ? {} : next("/v1/sites/a/telemetry?page=2");
        return { body: { data: [], ...fields }, ...(link !== undefined && { link }) };
      });
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
    "current_page and last_page in meta": (page: number) => ({ meta: { current_page: page, last_page: 3 } }),
    "currentPage and a flag": (page: number) => ({ pagination: { currentPage: page, hasMore: page < 3 } }),
    "page and a total without the length of a page": (page: number) => ({ page, total: "3" }),
    "number and last": (page: number) => ({ number: page - 1, last: page === 3 }),
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

  it("follows a cursor while there is more, or as long as it leads to other items", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return { body: { data: [alert(page)], cursor: String(page + 1), has_more: page < 3 } };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
    answerPages(ALERTS, () => ({ body: { data: [alert(1)], cursor: "here" } }));
    assert.deepEqual(idsOf(await client.alerts()), [1]);
    assert.equal(service.requestsTo(ALERTS).length, 5);
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return { body: { data: [alert(page)], cursor: page < 3 ? String(page + 1) : null } };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
  });

  it("takes a cursor for none if the service refuses it as a parameter", async () => {
    answerPages(ALERTS, (_query, count) => ({ body: { data: [alert(count)], cursor: `at-${count}` } }));
    service.fault({ path: ALERTS, fits: ({ query }) => "cursor" in query, status: 400 });
    assert.deepEqual(idsOf(await client.alerts()), [1]);
  });

  for (const [name, next] of Object.entries({
    "next.cursor": (page: number) => ({ next: { cursor: page } }),
    "cursors.next": (page: number) => ({ cursors: { next: String(page) } }),
    "meta.cursor.next": (page: number) => ({ meta: { cursor: { next: String(page) } } }),
  })) {
    it(`follows ${name}`, async () => {
      answerPages(ALERTS, (query) => {
        const page = Number(query.get("cursor") ?? 1);
        return { body: { data: [alert(page)], ...(page < 3 && next(page + 1)) } };
      });
      assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
    });
  }

  it("follows the end cursor while there is another page", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return {
        body: { items: [alert(page)], pageInfo: { hasNextPage: page < 3, endCursor: String(page + 1) } },
      };
    });
    assert.deepEqual(idsOf(await client.alerts()), [1, 2, 3]);
  });

  for (const [name, body] of Object.entries({
    nextPageToken: (count: number) => ({ nextPageToken: `token-${count}` }),
    "meta.last_page": () => ({ meta: { current_page: 1, last_page: 3 } }),
    Link: () => ({}),
  })) {
    it(`is an error if the service repeats the page when asked for ${name}`, async () => {
      answerPages(ALERTS, (_query, count) => ({
        body: { data: [alert(1), alert(2)], ...body(count) },
        ...(name === "Link" && { link: `</v1/alerts?p=${count + 1}>; rel=next` }),
      }));
      const error = await failureOf(client.alerts());
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.ok(error.message.includes(`${name} announces more`), error.message);
      assert.equal(service.requestsTo(ALERTS).length, 2);
    });
  }

  // None of these says how to get the rest.
  for (const [field, fields] of Object.entries({
    hasMore: { hasMore: "true" },
    hasNextPage: { hasNextPage: true, endCursor: null },
    isTruncated: { isTruncated: true },
    more: { more: { cursor: "b2" } },
    last: { last: false },
    "page.last": { page: { size: 2, last: false } },
    done: { done: false },
    nextBatch: { nextBatch: "b2" },
    "paging.next": { paging: { next: { key: "b2" } } },
    "links.next": { links: { next: true } },
    total: { total: 3 },
    "paging.total": { paging: { total: { count: 3 } } },
    "meta.total": { meta: { total: 250 } },
    "pagination.totalCount": { pagination: { totalCount: "3", pageSize: 2 } },
    "@odata.count": { "@odata.count": 3 },
    count: { count: 3 },
    "page.totalElements": { page: { totalElements: 3, size: 2 } },
    total_pages: { total_pages: 2 },
    remainingItems: { remainingItems: 1 },
    remaining: { remaining: 5 },
    "meta.remaining_count": { meta: { remaining_count: "2" } },
    itemsLeft: { itemsLeft: 3 },
    "meta.pages_remaining": { meta: { pages_remaining: 1 } },
    numberOfSites: { numberOfSites: 3 },
    numFound: { numFound: 3 },
    numberOfPages: { pageSize: 2, numberOfPages: 3 },
    has_more: { has_more: "1" },
    hasMoreItems: { hasMoreItems: true },
    LastEvaluatedKey: { LastEvaluatedKey: { id: { S: "b" } } },
    moreDataAvailable: { moreDataAvailable: true },
    has_additional_pages: { has_additional_pages: true },
    allLoaded: { allLoaded: false },
    numResults: { numResults: 3 },
    found: { found: 3 },
    numberOfTotalItems: { numberOfTotalItems: 3 },
    totalOfPages: { totalOfPages: 2 },
    "info.pages": { info: { pages: 2 } },
  })) {
    it(`is an error if ${field} says that there is more, and nothing says how to get it`, async () => {
      answerPages(/\/v1\/sites$/, () => ({ body: { sites: [{ siteId: "a" }, { siteId: "b" }], ...fields } }));
      const error = await failureOf(client.sites());
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.ok(error.message.startsWith(`Incomplete: ${field} announces more`), error.message);
      assert.equal(service.requestsTo(/\/v1\/sites$/).length, 1);
    });
  }

  for (const [field, body] of Object.entries({
    "sites.total": { sites: { items: [{ siteId: "a" }], total: 3 } },
    "items.hasMore": { items: { sites: [{ siteId: "a" }], hasMore: true }, warnings: [] },
    "data.sites.pageInfo.hasNextPage": {
      data: { sites: { nodes: [{ siteId: "a" }], pageInfo: { hasNextPage: true } } },
    },
  }))
    it(`is an error if ${field} says so in the object that holds the list`, async () => {
      answerPages(/\/v1\/sites$/, () => ({ body }));
      const error = await failureOf(client.sites());
      assert.ok(error.message.startsWith(`Incomplete: ${field} announces more`), error.message);
    });

  it("is complete whatever is said of another list beside it", async () => {
    const alerts = { items: [alert(1)], total: 12 };
    answerPages(/\/v1\/sites$/, () => ({ body: { sites: [{ siteId: "a" }], alerts } }));
    assert.equal((await client.sites()).length, 1);
  });

  for (const name of ["nextT0k3n-of-someone", "nextOpensesame"])
    it(`does not name a field whose name may be a secret, such as ${name}`, async () => {
      answerPages(ALERTS, () => ({ body: { data: [alert(1)], meta: { [name]: "x" } } }));
      const error = await failureOf(client.alerts());
      assert.ok(error.message.startsWith("Incomplete: next*** announces more"), error.message);
    });

  it("is an error if empty pages never reach the total", async () => {
    answerPages(ALERTS, (query) => {
      const page = Number(query.get("page") ?? 1);
      return { body: { data: page === 1 ? [alert(1)] : [], page, total: 5 } };
    });
    const error = await failureOf(client.alerts());
    assert.ok(error.message.includes("total announces more"), error.message);
    assert.equal(service.requestsTo(ALERTS).length, 2);
  });

  // What says nothing about more.
  for (const fields of [
    { hasMore: false, nextPageToken: "here" },
    { count: 2, total: 2, limit: 100, offset: 0 },
    { meta: { current_page: 1, last_page: 1, total: 2 }, links: { next: null, last: "/v1/alerts?page=1" } },
    { last: true, number: 0, totalPages: 1, size: 20 },
    { nextUpdate: "2026-03-29T12:05:00Z", next_refresh_at: 1774785900 },
    { pageSize: 100, totalEnergy: 9000, status: "ok", done: true },
    { nextPage: 0, page: 1 },
    { links: { next: { href: null }, self: { href: "/v1/alerts" } }, _links: { next: {} } },
    { truncated: false, cursor: "here" },
    { remaining: 0, rateLimit: { remaining: 59 } },
    { totalPower: 9000, hasMoreThanOneSystem: true, leftover: 3, lastRead: false, found: true },
  ]) {
    it(`is complete with ${JSON.stringify(fields)}`, async () => {
      answerPages(ALERTS, () => ({ body: { data: [alert(1), alert(2)], ...fields } }));
      assert.deepEqual(idsOf(await client.alerts()), [1, 2]);
      assert.equal(service.requestsTo(ALERTS).length, 1);
    });
  }

  it("counts items that cannot be read as items that came", async () => {
    const sites = [{ siteId: "a" }, ...Array.from({ length: 150 }, () => ({}))];
    answerPages(/\/v1\/sites$/, () => ({ body: { sites, total: 151 } }));
    assert.deepEqual(await client.sites(), [{ siteId: "a" }]);
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

  // Without a service, which takes long for so many.
  it("stops after 390 pages", async () => {
    let count = 0;
    const { baseUrl } = service;
    const read = (): Promise<Page> => {
      const body = { data: [alert(++count)], nextPageToken: `token-${count}` };
      return Promise.resolve({ body, bytes: 1, values: 1, link: "" });
    };
    const target = { url: `${baseUrl}/v1/alerts`, what: errorText("whatAlerts") };
    const error = await failureOf(allPages(target, baseUrl, read, parseAlerts));
    assert.equal(error.code, "ENERGY_RESPONSE");
    assert.match(error.message, /more than 390 pages/);
    assert.equal(count, 390);
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
