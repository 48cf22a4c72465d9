// Finds where a list answer goes on: the service does not show pagination, so every usual way is understood.
import { isServiceObject } from "../models/service-object";
import type { ServiceObject } from "../models/site";
import { countedPage } from "./counted-page";
import { errorText, ResponseError } from "../errors";
import { pageHolders } from "./page-holders";
import type { JsonAnswer } from "./auth/session";

/** Field of a body that names the next page, and the query parameter that asks for it. */
const NEXT_FIELDS: Readonly<Record<string, string>> = {
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
};

/** Fields that say whether there is a next page. */
const MORE_FIELDS = ["hasNextPage", "has_next_page", "hasNext", "hasMore", "has_more"];

/**
 * The address of the page after this one, with the query of the first page kept; undefined on the last page.
 * @param before how many pages were read before this one
 * @throws ResponseError when it lies outside of the base URL, where the token must not go
 */
export function nextPage(answer: JsonAnswer, current: URL, baseUrl: string, before: number): URL | undefined {
  const linked = linkedNext(answer.link);
  if (linked !== undefined) return resolve(linked, current, baseUrl);
  for (const holder of pageHolders(answer.body)) {
    const next = nextIn(holder, current, baseUrl);
    if (next !== undefined) return next;
  }
  return countedPage(answer.body, current, before);
}

function nextIn(holder: ServiceObject, current: URL, baseUrl: string): URL | undefined {
  const hasMore = MORE_FIELDS.map((name) => holder[name]).find((more) => typeof more === "boolean");
  if (hasMore === false) return undefined;
  // A cursor without a word of more may be that of this page.
  const fields = hasMore === true ? { ...NEXT_FIELDS, cursor: "cursor" } : NEXT_FIELDS;
  for (const [name, parameter] of Object.entries(fields)) {
    const value = field(holder[name], "href") ?? holder[name];
    if (typeof value !== "number" && (typeof value !== "string" || value === "")) continue;
    const text = String(value);
    // A token may be any text, and in base64 it may begin with a slash.
    const address = /token|cursor/i.test(name) ? /^https?:/i : /^(https?:|[/?])/i;
    if (address.test(text)) return resolve(text, current, baseUrl);
    const next = new URL(current);
    next.searchParams.set(parameter, text);
    return next;
  }
  return undefined;
}

/** RFC 8288: `<address>; rel="next"`, among other links. */
function linkedNext(link: string): string | undefined {
  for (const [, address, parameters = ""] of link.matchAll(
    /<([^>]*)>((?:\s*;\s*[\w*]+=(?:"[^"]*"|[^\s;,"]+))*)/g,
  )) {
    const relations = /;\s*rel=(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const names = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return address;
  }
  return undefined;
}

function resolve(address: string, current: URL, baseUrl: string): URL {
  const next = URL.canParse(address, current.href) ? new URL(address, current) : undefined;
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/`;
  if (next === undefined || next.origin !== base.origin || !next.pathname.startsWith(folder)) {
    throw new ResponseError(errorText("pageOutside"));
  }
  for (const [name, value] of current.searchParams) {
    if (!next.searchParams.has(name)) next.searchParams.set(name, value);
  }
  return next;
}

function field(value: unknown, name: string): unknown {
  return isServiceObject(value) ? value[name] : undefined;
}
