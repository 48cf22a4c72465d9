// Reads all pages of a list, within the limits of one.
import { isDeepStrictEqual } from "node:util";
import { type ErrorText, errorText, HttpError, ResponseError } from "../errors";
import { MAX_JSON_VALUES, MAX_LIST_BYTES, MAX_PAGES } from "../limits";
import type { HttpRequest } from "./http/request";
import type { Page } from "./http/response";
import type { Items } from "../models/responses";
import { type NextPage, nextPage } from "./next-page";

/**
 * The items of all pages, in order.
 * @param maxValues of all pages, nested ones included
 * @throws ResponseError beyond the limits of a list, if the next page is outside the base URL, and if a page says that there are
 * more, but nothing says how to get them; what `read` and `parse` throw
 */
export async function allPages<Item>(
  { url: first, what }: Pick<HttpRequest, "url" | "what">,
  baseUrl: string,
  read: (url: string) => Promise<Page>,
  parse: (body: unknown) => Items<Item>,
  maxValues = MAX_JSON_VALUES,
): Promise<Items<Item>> {
  const pages: Items<Item>[] = [];
  const visited = new Set<string>();
  let [bytes, values, items] = [0, 0, 0];
  let url = first;
  /** What says that there is a page at the URL; undefined if only a field may refer to it. */
  let claim: string | undefined = "";
  let total: NextPage["total"];
  for (;;) {
    if (visited.size === MAX_PAGES) throw new ResponseError(errorText("answerPages", { pages: MAX_PAGES }));
    visited.add(url);
    let response: Page;
    try {
      response = await read(url);
    } catch (error) {
      // The service does not know the parameter, so the field was no reference.
      if (claim === undefined && error instanceof HttpError && error.details.statusCode === 400) break;
      throw error;
    }
    bytes += response.bytes;
    if (bytes > MAX_LIST_BYTES)
      throw new ResponseError(errorText("answerListTooLarge", { size: `${MAX_LIST_BYTES / 2 ** 20} MiB` }));
    values += response.values;
    if (values > maxValues) throw new ResponseError(errorText("answerValues", { values: maxValues }));
    const page = parse(response.body);
    // A service that does not know the parameter repeats a page forever. Empty pages may repeat, because of filters.
    if (page.count > 0 && isDeepStrictEqual(page, pages.at(-1))) {
      if (claim === undefined) break;
      throw noWayOn(what, claim);
    }
    pages.push(page);
    items += page.count;
    const position = { current: url, baseUrl, pages: pages.length, items, onPage: page.count, total };
    const next = nextPage(response, position);
    ({ claim, total } = next);
    const isNew = next.url !== undefined && !visited.has(next.url);
    // A link or token may lead back to a page that was read: then nothing is missing, unless a number or flag says so.
    if (!isNew && claim !== undefined && (next.url === undefined || next.isCounted))
      throw noWayOn(what, claim);
    if (next.url === undefined) break;
    // The first page may have another URL on the way back.
    if (!isNew && pages.length > 1 && isDeepStrictEqual(page, pages[0])) pages.pop();
    if (!isNew) break;
    url = next.url;
  }
  const [only] = pages;
  if (only && pages.length === 1) return only;
  const readable = pages.flatMap((page) => page.readable);
  const unreadable = pages.flatMap((page) => page.unreadable);
  return { readable, unreadable, count: pages.reduce((sum, page) => sum + page.count, 0) };
}

function noWayOn(what: ErrorText, field: string): ResponseError {
  return new ResponseError(errorText("answerMore", { what, field }));
}
