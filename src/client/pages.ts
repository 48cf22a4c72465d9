// Reads all pages of a list. The service does not document paging, so all common schemes are supported.
import { isDeepStrictEqual } from "node:util";
import { errorText, ResponseError } from "../errors";
import { MAX_JSON_VALUES, MAX_LIST_BYTES, MAX_PAGES, MAX_URL_LENGTH } from "../limits";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import { urlText } from "./http/request";
import type { Page } from "./http/response";

/** The supported names, in order of preference. */
const NAMES = {
  /** Objects in the body that, like the body itself, may describe its pages. */
  holders: ["meta", "pagination", "paging", "page", "pageInfo", "links", "_links", "data"],
  /** Fields that identify the next page, with the query parameter that requests it. */
  next: {
    nextPageToken: "pageToken",
    next_page_token: "page_token",
    nextToken: "nextToken",
    next_token: "next_token",
    nextCursor: "cursor",
    next_cursor: "cursor",
    continuationToken: "continuationToken",
    continuation_token: "continuation_token",
    nextPage: "page",
    next_page: "page",
    nextLink: "next",
    nextUrl: "next",
    next_url: "next",
    next: "next",
    endCursor: "cursor",
  },
  /** Identifies the next page only if `hasMore` is true; otherwise it may be the cursor of this page. */
  nextIfMore: { cursor: "cursor" },
  /** Fields that say whether there is a next page. */
  hasMore: ["hasNextPage", "has_next_page", "hasNext", "hasMore", "has_more"],
  /** Numbers. The name of a page or offset is also its query parameter, unless `parameters` has another. */
  page: ["page", "pageNumber", "page_number", "currentPage", "current_page", "number"],
  pages: ["totalPages", "total_pages", "pageCount", "page_count", "pages"],
  offset: ["offset", "skip", "start"],
  limit: ["limit", "pageSize", "page_size", "perPage", "per_page", "size", "count"],
  total: ["total", "totalCount", "total_count", "totalItems", "totalElements"],
  parameters: { number: "page" } as Partial<Record<string, string>>,
} as const;

/**
 * The items of all pages, in order.
 * @param maxValues of all pages, nested ones included
 * @throws ResponseError beyond the limits of a list or if the next page is outside the base URL; what `read` and `parse` throw
 */
export async function allPages<Item>(
  first: string,
  baseUrl: string,
  read: (url: string) => Promise<Page>,
  parse: (body: unknown) => Item[],
  maxValues = MAX_JSON_VALUES,
): Promise<Item[]> {
  const items: Item[] = [];
  const visited = new Set<string>();
  let [bytes, values] = [0, 0];
  let previous: Item[] = [];
  let url: string | undefined = first;
  while (url !== undefined && !visited.has(url)) {
    if (visited.size === MAX_PAGES) throw new ResponseError(errorText("answerPages", { pages: MAX_PAGES }));
    visited.add(url);
    const response: Page = await read(url);
    bytes += response.bytes;
    if (bytes > MAX_LIST_BYTES)
      throw new ResponseError(errorText("answerListTooLarge", { size: `${MAX_LIST_BYTES / 2 ** 20} MiB` }));
    values += response.values;
    if (values > maxValues) throw new ResponseError(errorText("answerValues", { values: maxValues }));
    const page = parse(response.body);
    // A service that ignores the parameter would repeat a page forever. Empty pages may repeat, because of filters.
    if (page.length > 0 && isDeepStrictEqual(page, previous)) break;
    for (const item of page) items.push(item);
    previous = page;
    url = nextPage(response, url, baseUrl, visited.size - 1);
  }
  return items;
}

/**
 * The URL of the next page; undefined on the last.
 * @param before number of pages before this one
 */
function nextPage(response: Page, current: string, baseUrl: string, before: number): string | undefined {
  const next = referredPage(response, new URL(current), baseUrl, before);
  if (next === undefined) return undefined;
  if (next.href.length > MAX_URL_LENGTH)
    throw new ResponseError(errorText("pageUrlTooLong", { characters: MAX_URL_LENGTH }));
  return urlText(next);
}

function referredPage(response: Page, current: URL, baseUrl: string, before: number): URL | undefined {
  const linked = linkedPage(response.link);
  if (linked !== undefined) return resolveNext(linked, current, baseUrl);
  const holders = holdersIn(response.body);
  for (const holder of holders) {
    const next = namedPage(holder, current, baseUrl);
    if (next !== undefined) return next;
  }
  return countedPage(holders, current, before);
}

/** RFC 8288: `<URL>; rel="next"`, among other links. */
function linkedPage(header: string): string | undefined {
  for (const [, url, parameters = ""] of header.matchAll(
    /<([^<>]*)>((?:\s*;\s*[\w*]+=(?:"[^"]*"|[^\s;,"]+))*)/g,
  )) {
    const relations = /;\s*rel=(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const names = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return url;
  }
  return undefined;
}

function holdersIn(body: unknown): ServiceObject[] {
  if (!isServiceObject(body)) return [];
  return [body, ...NAMES.holders.map((name) => body[name])].filter(isServiceObject);
}

/** The next page, if a field has its URL, number or token. */
function namedPage(holder: ServiceObject, current: URL, baseUrl: string): URL | undefined {
  const hasMore = NAMES.hasMore.map((name) => holder[name]).find((more) => typeof more === "boolean");
  if (hasMore === false) return undefined;
  const names = hasMore === true ? { ...NAMES.next, ...NAMES.nextIfMore } : NAMES.next;
  for (const [name, parameter] of Object.entries(names)) {
    const field = holder[name];
    const value = isServiceObject(field) ? field["href"] : field;
    if (typeof value !== "number" && (typeof value !== "string" || value === "")) continue;
    const text = String(value);
    // A token may be any text; in base64 it may begin with a slash.
    const url = /token|cursor/i.test(name) ? /^https?:/i : /^(https?:|[/?])/i;
    return url.test(text) ? resolveNext(text, current, baseUrl) : withParameter(current, parameter, text);
  }
  return undefined;
}

/** The next page, if pages or items are numbered. The first page may have number 0 or 1. */
function countedPage(holders: ServiceObject[], current: URL, before: number): URL | undefined {
  for (const holder of holders) {
    const page = numberIn(holder, NAMES.page);
    const pages = numberIn(holder, NAMES.pages);
    const offset = numberIn(holder, NAMES.offset);
    const limit = numberIn(holder, NAMES.limit);
    const total = numberIn(holder, NAMES.total);
    const isCounted = limit !== undefined && total !== undefined && limit.value > 0;
    const last = pages?.value ?? (isCounted ? Math.ceil(total.value / limit.value) : undefined);
    if (page && last !== undefined)
      return before + 1 < last ? withParameter(current, page.name, page.value + 1) : undefined;
    if (!offset || !isCounted) continue;
    const next = offset.value + limit.value;
    return next < total.value ? withParameter(current, offset.name, next) : undefined;
  }
  return undefined;
}

function numberIn(
  holder: ServiceObject,
  names: readonly string[],
): { name: string; value: number } | undefined {
  for (const name of names) {
    const value = holder[name];
    if (typeof value === "number" && Number.isInteger(value)) return { name, value };
  }
  return undefined;
}

function withParameter(current: URL, name: string, value: string | number): URL {
  const next = new URL(current);
  next.searchParams.set(NAMES.parameters[name] ?? name, String(value));
  return next;
}

/** Resolves the URL and keeps the current query. Throws ResponseError outside the base URL, where no token may be sent. */
function resolveNext(url: string, current: URL, baseUrl: string): URL {
  const next = URL.canParse(url, current.href) ? new URL(url, current) : undefined;
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/`;
  // Its user name and password would be sent in place of the token.
  const isInside =
    next?.origin === base.origin && next.pathname.startsWith(folder) && !next.username && !next.password;
  if (!isInside) throw new ResponseError(errorText("pageOutside"));
  for (const [name, value] of current.searchParams)
    if (!next.searchParams.has(name)) next.searchParams.set(name, value);
  return next;
}
