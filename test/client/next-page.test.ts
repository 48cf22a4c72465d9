// Tests for finding the next page of a list: every common way to refer to it is followed, all items once and in order.
import assert from "node:assert/strict";
import { DAY } from "./clients";
import { alert, ALERTS, idsOf, ListService } from "./page-answers";

describe("the next page", () => {
  const pages = new ListService();

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
      pages.answer(ALERTS, (query) => {
        const page = Number(query.get(parameter)?.slice(5) ?? 1);
        return {
          body: {
            data: [alert(page * 2 - 1), alert(page * 2)],
            ...(page < 3 && tokenFields(`next+${page + 1}`)),
          },
        };
      });
      assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3, 4, 5, 6]);
      assert.equal(pages.service.requestsTo(ALERTS).length, 3);
    });
  }

  it("sends a space in a cursor as %20, not as a plus sign", async () => {
    pages.answer(ALERTS, (query) => ({
      body: query.has("cursor") ? { data: [alert(2)] } : { data: [alert(1)], nextCursor: "a +b" },
    }));
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2]);
    assert.match(pages.service.requestsTo(ALERTS)[1]?.url ?? "", /cursor=a%20%2Bb$/);
  });

  it("does not send the fragment of a URL", async () => {
    pages.answer(ALERTS, (query) =>
      query.get("page") === "2"
        ? { body: { data: [alert(2)] } }
        : { body: { data: [alert(1)], next: "/v1/alerts?page=2#top" } },
    );
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2]);
    const urls = pages.service.requestsTo(ALERTS).map(({ query }) => query);
    assert.deepEqual(urls, [{}, { page: "2" }]);
  });

  for (const [field, parameter] of [
    ["nextPageToken", "pageToken"],
    ["scrollId", "scrollId"],
    ["continuation", "continuation"],
    ["LastEvaluatedKey", "exclusiveStartKey"],
  ] as const)
    it(`returns ${field} unchanged even if it begins with a slash, as base64 may`, async () => {
      pages.answer(ALERTS, (query) => ({
        body:
          query.get(parameter) === "/9j+==" ? { data: [alert(2)] } : { data: [alert(1)], [field]: "/9j+==" },
      }));
      assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2]);
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
    ["next as a list", (url) => ({ next: [url] })],
    ["an absolute nextLink", (url) => ({ nextLink: new URL(url, pages.service.baseUrl).href })],
  ];
  for (const [name, next] of links) {
    it(`follows ${name}, and keeps the query of the first page`, async () => {
      const path = /telemetry$/;
      pages.answer(path, (query) => {
        const { link, ...fields } = query.has("page") ? {} : next("/v1/sites/a/telemetry?page=2");
        return { body: { data: [], ...fields }, ...(link !== undefined && { link }) };
      });
      await pages.client.telemetry({ siteId: "a", systemId: "b", ...DAY });
      const [first, second] = pages.service.requestsTo(path);
      assert.deepEqual(second?.query, { ...first?.query, page: "2" });
      assert.match(second.headers.authorization ?? "", /^Bearer /);
    });
  }

  it("follows page numbers", async () => {
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("page") ?? 1);
      return { body: { data: [alert(page)], nextPage: page < 3 ? page + 1 : null } };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
  });

  for (const first of [0, 1]) {
    it(`follows a page count, starting at page ${first}`, async () => {
      pages.answer(ALERTS, (query) => {
        const page = Number(query.get("page") ?? first);
        return { body: { alerts: [alert(page)], page, totalPages: 3 } };
      });
      assert.deepEqual(idsOf(await pages.client.alerts()), [first, first + 1, first + 2]);
      assert.equal(pages.service.requestsTo(ALERTS).length, 3);
    });
  }

  it("follows an item count", async () => {
    pages.answer(ALERTS, (query) => {
      const offset = Number(query.get("offset") ?? 0);
      const data = [alert(offset + 1), alert(offset + 2)].slice(0, 5 - offset);
      return { body: { data, meta: { offset, limit: 2, total: 5, hasMore: offset < 4 } } };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3, 4, 5]);
    assert.equal(pages.service.requestsTo(ALERTS).length, 3);
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
      pages.answer(ALERTS, (query) => {
        const page = Number(query.get("page") ?? 1 - offset) + offset;
        return { body: { alerts: [alert(page)], ...count(page) } };
      });
      assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
      assert.equal(pages.service.requestsTo(ALERTS).length, 3);
    });
  }

  it("follows a cursor while there is more, or as long as it leads to other items", async () => {
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return { body: { data: [alert(page)], cursor: String(page + 1), has_more: page < 3 } };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
    pages.answer(ALERTS, () => ({ body: { data: [alert(1)], cursor: "here" } }));
    assert.deepEqual(idsOf(await pages.client.alerts()), [1]);
    assert.equal(pages.service.requestsTo(ALERTS).length, 5);
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return { body: { data: [alert(page)], cursor: page < 3 ? String(page + 1) : null } };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
  });

  it("takes a cursor for none if the service refuses it as a parameter", async () => {
    pages.answer(ALERTS, (_query, count) => ({
      body: { data: [alert(count)], cursor: `at-${count}` },
    }));
    pages.service.fault({ path: ALERTS, fits: ({ query }) => "cursor" in query, status: 400 });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1]);
  });

  for (const [name, next] of Object.entries({
    "next.cursor": (page: number) => ({ next: { cursor: page } }),
    "cursors.next": (page: number) => ({ cursors: { next: String(page) } }),
    "meta.cursor.next": (page: number) => ({ meta: { cursor: { next: String(page) } } }),
  })) {
    it(`follows ${name}`, async () => {
      pages.answer(ALERTS, (query) => {
        const page = Number(query.get("cursor") ?? 1);
        return { body: { data: [alert(page)], ...(page < 3 && next(page + 1)) } };
      });
      assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
    });
  }

  it("follows the end cursor while there is another page", async () => {
    pages.answer(ALERTS, (query) => {
      const page = Number(query.get("cursor") ?? 1);
      return {
        body: { items: [alert(page)], pageInfo: { hasNextPage: page < 3, endCursor: String(page + 1) } },
      };
    });
    assert.deepEqual(idsOf(await pages.client.alerts()), [1, 2, 3]);
  });
});
