// The items of an answer that cannot be read: each spoils none of the others.
import { createHash } from "node:crypto";
import { type ErrorText, errorText } from "../errors";
import { MAX_UNREADABLE_ITEMS } from "../limits";
import { kindOf, firstText, isServiceObject } from "./service-object";
import type { Site } from "./site";
import { ID_FIELDS, siteIdOf, systemIdOf } from "./site-reader";
import { parseServiceTime } from "./time";

/**
 * A record without a valid interval, or a site or system without a valid id. A class, because V8 allocates object literals of
 * this kind as long-lived.
 */
export class UnreadableItem {
  constructor(
    /** What is wrong with it, and where in the response it is. */
    readonly fault: ErrorText,
    /** The same for the same item in every response. */
    readonly id: string,
  ) {}
}

/**
 * Reads every item. Of many unreadable ones, only the first are kept, because each is described.
 * @param read returns undefined for an item that cannot be read
 */
export function readableItems<Item>(
  items: readonly unknown[],
  read: (item: unknown) => Item | undefined,
  describe: (item: unknown, index: number) => UnreadableItem,
): (Item | UnreadableItem)[] {
  const result: (Item | UnreadableItem)[] = [];
  let unreadable = 0;
  for (const [index, item] of items.entries()) {
    const one = read(item);
    if (one !== undefined) result.push(one);
    else if (unreadable++ < MAX_UNREADABLE_ITEMS) result.push(describe(item, index));
  }
  return result;
}

/** @param place path of the record in the response, such as `data[2]` */
export function unreadableRecord(item: unknown, what: ErrorText, place: string): UnreadableItem {
  const { startTime, endTime } = isServiceObject(item) ? item : {};
  // Its times identify it, because its numbers may change; everything does, if it has none.
  const identity = startTime === undefined && endTime === undefined ? item : [startTime, endTime];
  return new UnreadableItem(recordFault(item, what, place), digest(identity));
}

/** @param place path of the site in the response, such as `data[2]` */
export function unreadableSite(item: unknown, what: ErrorText, place: string): UnreadableItem {
  return new UnreadableItem(idFault(item, "site", what, place), identityOf(item, "site", place));
}

/**
 * The systems without a valid id, up to a limit. A site none of whose systems has an id is read as a whole.
 * @param sitePlace path of the site in the response, such as `data[2]`
 */
export function unreadableSystems(site: Site, what: ErrorText, sitePlace: string): UnreadableItem[] {
  const systems: unknown[] = Array.isArray(site.systems) ? site.systems : [];
  if (systems.every(isUnnamed)) return [];
  const place = (index: number): string => `${sitePlace}.systems[${index}]`;
  return readableItems(
    systems,
    (system) => (isServiceObject(system) && systemIdOf(system) !== undefined ? system : undefined),
    (system, index) =>
      new UnreadableItem(
        idFault(system, "system", what, place(index)),
        `${siteIdOf(site)} ${identityOf(system, "system", place(index))}`,
      ),
  ).filter((system) => system instanceof UnreadableItem);
}

function isUnnamed(system: unknown): boolean {
  return isServiceObject(system) && firstText(system, ID_FIELDS.system) === undefined;
}

function recordFault(item: unknown, what: ErrorText, place: string): ErrorText {
  if (!isServiceObject(item)) return errorText("answerNotObject", { what, place, kind: kindOf(item) });
  const field = ["startTime", "endTime"].find((name) => parseServiceTime(item[name]) === undefined);
  return field === undefined
    ? errorText("answerTimesOrder", { what, place: `${place}.endTime` })
    : errorText("answerNoTime", { what, place: `${place}.${field}`, kind: kindOf(item[field]) });
}

function idFault(item: unknown, of: keyof typeof ID_FIELDS, what: ErrorText, place: string): ErrorText {
  if (!isServiceObject(item)) return errorText("answerNotObject", { what, place, kind: kindOf(item) });
  const [field] = ID_FIELDS[of];
  const idPlace = `${place}.${field}`;
  return firstText(item, ID_FIELDS[of]) === undefined
    ? errorText("answerNoId", { what, place: idPlace, kind: kindOf(item[field]) })
    : errorText("answerIdInvalid", { what, place: idPlace });
}

/** Its id identifies it, however long that is; its place does, if it has none. */
function identityOf(item: unknown, of: keyof typeof ID_FIELDS, place: string): string {
  return digest((isServiceObject(item) && firstText(item, ID_FIELDS[of])) || place);
}

function digest(value: unknown): string {
  return createHash("sha1")
    .update(JSON.stringify(value) ?? "")
    .digest("base64url");
}
