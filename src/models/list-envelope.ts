// Finds the list in a response, whose envelope the service does not specify (service interface 4.2, 4.6).
import { type ErrorText, errorText, ResponseError } from "../errors";
import { kindOf, isServiceObject } from "./service-object";
import type { ServiceObject } from "./site";

/** A list and its path in the response. The path has only names from this file, never text from the service. */
interface PlacedList {
  items: unknown[];
  place: string;
}

const COMMON_NAMES = ["items", "results", "records", "content", "value", "list", "elements"];
/** Objects that may wrap the list. */
const WRAPPERS = ["data", "result", "response", "payload", "_embedded"];
/** How many objects may be around the list. */
const MAX_WRAPPERS = 3;

/**
 * The objects of a list response, unchanged.
 * @param what names the response in errors, e.g. `Telemetry response`
 * @param name the field likely to hold the list, e.g. `sites`
 * @throws ResponseError if there is no list, or an item is not an object
 */
export function objectsOf(
  body: unknown,
  what: ErrorText,
  name: string,
): { items: ServiceObject[]; place: string } {
  const list = listOf(body, what, name);
  const items: ServiceObject[] = [];
  for (const [index, item] of list.items.entries()) {
    if (!isServiceObject(item)) {
      throw new ResponseError(
        errorText("answerNotObject", { what, place: `${list.place}[${index}]`, kind: kindOf(item) }),
      );
    }
    items.push(item);
  }
  return { items, place: list.place };
}

/** The items of a list response, whatever they are. Parameters as for `objectsOf`. Throws ResponseError if there is no list. */
export function listOf(body: unknown, what: ErrorText, name: string): PlacedList {
  const list = placedList(body, name, []);
  if (list === undefined)
    throw new ResponseError(errorText("answerNoList", { what, name, kind: kindOf(body) }));
  return list;
}

function placedList(body: unknown, name: string, path: string[]): PlacedList | undefined {
  if (Array.isArray(body)) return { items: body, place: path.join(".") || "list" };
  if (!isServiceObject(body) || path.length > MAX_WRAPPERS) return undefined;
  const named = ["data", name, ...COMMON_NAMES].find((field) => Array.isArray(body[field]));
  if (named !== undefined) return placedList(body[named], name, [...path, named]);
  for (const field of [...WRAPPERS, name, ...COMMON_NAMES]) {
    const found = placedList(body[field], name, [...path, field]);
    if (found) return found;
  }
  const lists = Object.values(body).filter((value) => Array.isArray(value));
  // There may also be empty lists, of warnings or errors.
  const [only, ...others] = lists.length > 1 ? lists.filter(({ length }) => length > 0) : lists;
  return only && others.length === 0 ? placedList(only, name, [...path, "list"]) : undefined;
}
