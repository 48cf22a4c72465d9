// Reads a list to its end, page by page, and never without end.
import { isDeepStrictEqual } from "node:util";
import { errorText, ResponseError } from "../errors";
import { nextPage } from "./next-page";
import type { JsonAnswer } from "./auth/session";

const MOST_PAGES = 1000;

/**
 * The items of all pages in order.
 * @throws ResponseError after 1,000 pages, and what read and parse throw
 */
export async function allPages<Item>(
  first: URL,
  baseUrl: string,
  read: (url: URL) => Promise<JsonAnswer>,
  parse: (body: unknown) => Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  const visited = new Set<string>();
  let previous: Item[] = [];
  let url: URL | undefined = first;
  while (url !== undefined && !visited.has(url.href)) {
    if (visited.size === MOST_PAGES) throw new ResponseError(errorText("answerPages", { pages: MOST_PAGES }));
    visited.add(url.href);
    const answer: JsonAnswer = await read(url);
    const page = parse(answer.body);
    // A service that ignores the parameter gives the same page for ever. Empty pages may repeat: filters make them.
    if (page.length > 0 && isDeepStrictEqual(page, previous)) break;
    for (const item of page) items.push(item);
    previous = page;
    url = nextPage(answer, url, baseUrl, visited.size - 1);
  }
  return items;
}
