// The next page of an answer that only counts its pages or items, without saying where the next one is.
import type { ServiceObject } from "../models/site";
import { pageHolders } from "./page-holders";

const PAGE = ["page", "pageNumber", "page_number", "currentPage", "current_page", "number"];
const PAGES = ["totalPages", "total_pages", "pageCount", "page_count", "pages"];
const OFFSET = ["offset", "skip", "start"];
const LIMIT = ["limit", "pageSize", "page_size", "perPage", "per_page", "size", "count"];
const TOTAL = ["total", "totalCount", "total_count", "totalItems", "totalElements"];
/** Query parameters that are not called as the field is. */
const PARAMETERS: Readonly<Record<string, string>> = { number: "page" };

/**
 * The address of the page after this one; undefined on the last page, and where nothing is counted.
 * @param before how many pages were read before this one: the first may be page 0 or page 1
 */
export function countedPage(body: unknown, current: URL, before: number): URL | undefined {
  for (const holder of pageHolders(body)) {
    const page = numberIn(holder, PAGE);
    const pages = numberIn(holder, PAGES);
    const offset = numberIn(holder, OFFSET);
    const limit = numberIn(holder, LIMIT);
    const total = numberIn(holder, TOTAL);
    const counted = limit && total && limit.value > 0 ? Math.ceil(total.value / limit.value) : undefined;
    const last = pages?.value ?? counted;
    if (page && last !== undefined)
      return before + 1 < last ? withParameter(current, page.name, page.value + 1) : undefined;
    if (!offset || !limit || !total || limit.value <= 0) continue;
    const next = offset.value + limit.value;
    return next < total.value ? withParameter(current, offset.name, next) : undefined;
  }
  return undefined;
}

function numberIn(holder: ServiceObject, names: string[]): { name: string; value: number } | undefined {
  for (const name of names) {
    const value = holder[name];
    if (typeof value === "number" && Number.isInteger(value)) return { name, value };
  }
  return undefined;
}

function withParameter(current: URL, name: string, value: number): URL {
  const next = new URL(current);
  next.searchParams.set(PARAMETERS[name] ?? name, String(value));
  return next;
}
