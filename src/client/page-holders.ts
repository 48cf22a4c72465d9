// Where the body of a list answer may tell of its pages.
import { isServiceObject } from "../models/service-object";
import type { ServiceObject } from "../models/site";

const HOLDERS = ["meta", "pagination", "paging", "page", "pageInfo", "links", "_links", "data"];

/** The body itself, and the objects in it that usually hold what is said of pages. */
export function pageHolders(body: unknown): ServiceObject[] {
  if (!isServiceObject(body)) return [];
  return [body, ...HOLDERS.map((name) => body[name])].filter(isServiceObject);
}
