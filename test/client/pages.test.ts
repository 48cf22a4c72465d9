// Tests for the end of a list: complete or an error, never a short list, within limits, and no request outside the base URL.
import assert from "node:assert/strict";
import type { Page } from "../../src/client/http/response";
import { allPages } from "../../src/client/pages";
import { errorText } from "../../src/errors";
import { parseAlerts } from "../../src/models/responses";
import { clientOf, failureOf } from "./clients";
import { alert, ALERTS, idsOf, ListService } from "./page-answers";

describe("all pages of a list", () => {
  const pages = new ListService();

  for (const [name, body] of Object.entries({
    nextPageToken: (count: number) => ({ nextPageToken: `token-${count}` }),
    "meta.last_page": () => ({ meta: { current_page: 1, last_page: 3 } }),
    Link: () => ({}),
  })) {
    it(`is an error if the service repeats the page in response to ${name}`, async () => {
      pages.answer(ALERTS, (_query, count) => ({
        body: { data: [alert(1), alert(2)], ...body(count) },
        ...(name === "Link" && { link: `</v1/alerts?p=${count + 1}>; rel=next` }),
      }));
      const error = await failureOf(pages.client.alerts());
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.ok(error.message.includes(`${name} indicates more`), error.message);
      assert.equal(pages.service.requestsTo(ALERTS).length, 2);
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
    next: { next: ["b", "c"] },
    numResults: { numResults: 3 },
    found: { found: 3 },
    numberOfTotalItems: { numberOfTotalItems: 3 },
    totalOfPages: { totalOfPages: 2 },
    "info.pages": { info: { pages: 2 } },
    "paginationInfo.hasNextPage": { paginationInfo: { hasNextPage: true } },
    "Paging_Metadata.total": { Paging_Metadata: { total: 3 } },
    "response.pager.remaining": { response: { pager: { remaining: 1 } } },
  })) {
    it(`is an error if ${field} says that there is more, and nothing says how to get it`, async () => {
      pages.answer(/\/v1\/sites$/, () => ({
        body: { sites: [{ siteId: "a" }, { siteId: "b" }], ...fields },
      }));
      const error = await failureOf(pages.client.sites());
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.ok(error.message.startsWith(`Incomplete: ${field} indicates more`), error.message);
      assert.equal(pages.service.requestsTo(/\/v1\/sites$/).length, 1);
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
      pages.answer(/\/v1\/sites$/, () => ({ body }));
      const error = await failureOf(pages.client.sites());
      assert.ok(error.message.startsWith(`Incomplete: ${field} indicates more`), error.message);
    });

  it("is complete whatever is said of another list beside it", async () => {
    const alerts = { items: [alert(1)], total: 12 };
    pages.answer(/\/v1\/sites$/, () => ({ body: { sites: [{ siteId: "a" }], alerts } }));
    assert.equal((await pages.client.sites()).length, 1);
  });

  for (const name of ["nextT0k3n-of-someone", "nextOpensesame"])
    it(`does not name a field whose name may be a secret, such as ${name}`, async () => {
      pages.answer(ALERTS, () => ({ body: { data: [alert(1)], meta: { [name]: "x" } } }));
      const error = await failureOf(pages.client.alerts());
      assert.ok(error.message.startsWith("Incomplete: next*** indicates more"), error.message);
    });

  it("is an error if empty pages never reach the total", async () => {
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("page") ?? 1);
      return { body: { data: page === 1 ? [alert(1)] : [], page, total: 5 } };
    });
    const error = await failureOf(pages.client.alerts());
    assert.ok(error.message.includes("total indicates more"), error.message);
    assert.equal(pages.service.requestsTo(ALERTS).length, 2);
  });

  it("is an error if later pages say no total, and never reach that of the first", async () => {
    pages.answer(ALERTS, (query) => ({
      body: query.has("cursor") ? { data: [alert(2)] } : { data: [alert(1)], total: 3, nextCursor: "next" },
    }));
    const error = await failureOf(pages.client.alerts());
    assert.ok(error.message.includes("total indicates more"), error.message);
  });

  it("is complete if a later page says that there are fewer", async () => {
    pages.answer(ALERTS, (query) => ({
      body: query.has("cursor")
        ? { data: [alert(2)], total: 2 }
        : { data: [alert(1)], total: 3, nextCursor: "next" },
    }));
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2]);
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
      pages.answer(ALERTS, () => ({ body: { data: [alert(1), alert(2)], ...fields } }));
      assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2]);
      assert.equal(pages.service.requestsTo(ALERTS).length, 1);
    });
  }

  it("counts items that cannot be read as items that came", async () => {
    const sites = [{ siteId: "a" }, ...Array.from({ length: 150 }, () => ({}))];
    pages.answer(/\/v1\/sites$/, () => ({ body: { sites, total: 151 } }));
    assert.deepEqual(await pages.client.sites(), [{ siteId: "a" }]);
  });

  it("stops at a repeated token", async () => {
    pages.answer(ALERTS, (_query, count) => ({
      body: { data: [alert(count)], nextPageToken: `token-${count % 3}` },
    }));
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3, 4]);
  });

  it("reads no page twice if the last one leads back to the first, under another URL", async () => {
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("page") ?? 1);
      return { body: { data: [alert(page)] }, link: `</v1/alerts?page=${(page % 3) + 1}>; rel=next` };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
  });

  it("continues past empty pages", async () => {
    pages.answer(ALERTS, (_query, count) => ({
      body: count < 4 ? { data: [], nextPageToken: `token-${count}` } : { data: [alert(1)] },
    }));
    assert.deepEqual(idsOf(await pages.client.alerts()), [1]);
  });

  // Without a service, which takes long for so many.
  it("stops after 390 pages", async () => {
    let count = 0;
    const { baseUrl } = pages.service;
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
      const { host } = new URL(pages.service.baseUrl);
      const prefixed = clientOf({ ...pages.service, baseUrl: `${pages.service.baseUrl}/base` });
      pages.service.fault({ path: /auth$/, body: { access_token: "some-token" } });
      pages.answer(ALERTS, () => ({
        body: [alert(1)],
        link: `<${outside.replace("HOST", host)}>; rel="next"`,
      }));
      const error = await failureOf(prefixed.alerts());
      prefixed.close();
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.match(error.message, /outside the base URL/);
      assert.equal(pages.service.requestsTo(ALERTS).length, 1);
    });
  }

  for (const next of [null, "", false, {}]) {
    it(`stops at a next page of ${JSON.stringify(next)}`, async () => {
      pages.answer(ALERTS, () => ({ body: { data: [alert(1)], next, links: { next } } }));
      assert.deepEqual(idsOf(await pages.client.alerts()), [1]);
      assert.equal(pages.service.requestsTo(ALERTS).length, 1);
    });
  }
});
