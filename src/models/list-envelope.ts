// Finds the list in a list answer: the envelope is not fixed by the service (service interface 4.2, 4.6).
import { ResponseError } from "../client/errors";
import { describe, isServiceObject } from "./service-object";
import type { ServiceObject } from "./site";

/** A list and where it stood; the place is made of names known here, never of the service's own text. */
interface PlacedList {
  items: unknown[];
  place: string;
}

const USUAL_NAMES = ["items", "results", "records", "content", "value", "list"];

/**
 * The objects of a list answer, as they came.
 * @param what names the answer in errors, e.g. `telemetry answer`
 * @param name the field that a list of this kind would have, e.g. `sites`
 * @throws ResponseError when there is no list, or when an item of it is no object
 */
export function objectsOf(
  body: unknown,
  what: string,
  name: string,
): { items: ServiceObject[]; place: string } {
  const list = placedList(body, name, "");
  if (list === undefined)
    throw new ResponseError(`${what}: no list of ${name} in it (it is ${describe(body)})`);
  const items: ServiceObject[] = [];
  for (const [index, item] of list.items.entries()) {
    if (!isServiceObject(item)) {
      throw new ResponseError(`${what}: ${list.place}[${index}] is no object (it is ${describe(item)})`);
    }
    items.push(item);
  }
  return { items, place: list.place };
}

function placedList(body: unknown, name: string, prefix: string): PlacedList | undefined {
  if (Array.isArray(body)) return { items: body, place: prefix === "" ? "list" : prefix };
  if (!isServiceObject(body)) return undefined;
  const under = prefix === "" ? "" : `${prefix}.`;
  for (const field of ["data", name, ...USUAL_NAMES]) {
    const value = body[field];
    if (Array.isArray(value)) return { items: value, place: under + field };
  }
  if (prefix === "" && isServiceObject(body["data"])) return placedList(body["data"], name, "data");
  const [items, ...others] = Object.values(body).filter((value) => Array.isArray(value));
  return items === undefined || others.length > 0 ? undefined : { items, place: `${under}list` };
}
