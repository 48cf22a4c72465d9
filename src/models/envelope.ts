// Finds the list in a response, and whatever else its envelope says, which the service does not specify (service interface 4.2, 4.6).
import { type ErrorText, errorText, ResponseError } from "../errors";
import { isServiceObject, kindOf, type ServiceObject } from "./service-object";

const COMMON_NAMES = ["items", "results", "records", "content", "value", "list", "elements"];
/** Objects that may wrap what is requested. */
export const WRAPPERS = ["data", "result", "response", "payload", "_embedded"];
/** How many objects may be around the list. */
const MAX_WRAPPERS = 3;

/** Names of lists, of which some services make objects that hold the list. */
const LIST_NAMES = new Set(["sites", "alerts", ...COMMON_NAMES]);

/** Objects that describe the list, as they are named in many ways: `pageInfo`, `pagination_info`, `ResponseMetadata`. */
const DESCRIPTION =
  /^(?:list|results?|response|set|meta|pag(?:e|ing|ination))*(?:meta(?:data)?|pag(?:es?|er|ing|ination|inator)|info|links?|cursors?)$/;
/** Those, and objects that hold them or the list. */
const HOLDER = RegExp(`${DESCRIPTION.source}|^(?:data|results?|resultset|response|payload|embedded)$`);
/** What a response has in place of an answer, or beside one that is not complete; as plain names. */
const FAULTS = new Set(["error", "errors", "warning", "warnings"]);
/** What such a response denies. */
const SUCCESSES = new Set(["success", "successful", "ok"]);
/** Longer names mean nothing. */
const MAX_FIELD_LENGTH = 40;
const MAX_LINKS = 40;
/** An envelope has few fields: what has more holds items, and looking at all of them takes long. */
const MAX_FIELDS = 1000;
/** Nor has it many parts. */
const MAX_HOLDERS = 100;

/** An object of an envelope with its first fields, and its path in the response: "" for the response itself. */
interface Holder {
  readonly object: ServiceObject;
  readonly path: string;
  readonly fields: readonly (readonly [name: string, value: unknown])[];
}

/** @param isContent whether an object is what was requested, so that its fields hold nothing of the envelope */
export function holdersIn(
  body: unknown,
  isContent: (object: ServiceObject) => boolean = () => false,
): Holder[] {
  const holders: Holder[] = [];
  const add = (object: ServiceObject, path: string): void =>
    void holders.push({ object, path, fields: fieldsOf(object) });
  if (isServiceObject(body)) add(body, "");
  for (const { object, fields, path } of holders) {
    if (isContent(object)) continue;
    const hasList = fields.some(([, value]) => isFullList(value));
    for (const [name, value] of fields) {
      const isHolder = HOLDER.test(plainName(name)) || (!hasList && wrapsList(name, value));
      const inner = isHolder ? holderOf(value) : undefined;
      if (inner && holders.length < MAX_HOLDERS) add(inner, pathOf(path, name));
    }
  }
  return holders;
}

function fieldsOf(object: ServiceObject): Holder["fields"] {
  return Object.keys(object)
    .slice(0, MAX_FIELDS)
    .map((name) => [name, object[name]] as const);
}

export function pathOf(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** `next_page`, `nextPage` and `@next.page` are one name; "" for a text that is no name of a field. */
export function plainName(name: string): string {
  return name.length <= MAX_FIELD_LENGTH && /^[@\w.-]+$/.test(name)
    ? name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")
    : "";
}

function wrapsList(name: string, value: unknown): boolean {
  return LIST_NAMES.has(name) && isServiceObject(value) && Object.values(value).some(isFullList);
}

function isFullList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Links may be listed, each with its relation: `[{rel: "next", href: "..."}]`. */
function holderOf(value: unknown): ServiceObject | undefined {
  if (isServiceObject(value)) return value;
  if (!Array.isArray(value) || !isLink(value[0])) return undefined;
  const links: unknown[] = value.slice(0, MAX_LINKS);
  return Object.fromEntries(links.filter(isLink).map((link) => [link["rel"], link["href"] ?? link["url"]]));
}

function isLink(value: unknown): value is ServiceObject & { rel: string } {
  return isServiceObject(value) && typeof value["rel"] === "string";
}

/**
 * An answer beside which errors or warnings are named may lack anything: an empty list would be taken for all there is.
 * @throws ResponseError that says where
 */
export function refuseFaults(holders: readonly Holder[], what: ErrorText): void {
  for (const { fields, path } of holders)
    for (const [name, value] of fields) {
      const isDenied = value === false && SUCCESSES.has(plainName(name));
      if (!isDenied && (!FAULTS.has(plainName(name)) || isNothing(value))) continue;
      const field = `${pathOf(path, name)}${isDenied ? ": false" : ""}`;
      throw new ResponseError(errorText("answerFault", { what, field }));
    }
}

/** `{}` and `{code: 0}` name no error, and `{href: null}` no link; an object in a list does, whatever it says. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => !item);
  if (typeof value !== "object" || value === null) return !value;
  return Object.values(value).every(isNothing);
}

/** Where something is in a response, such as `data[2]`, and what the response is. No text from the service. */
export interface AnswerPlace {
  readonly what: ErrorText;
  readonly place: string;
}

export interface List extends AnswerPlace {
  readonly items: readonly unknown[];
}

/**
 * The list in a response.
 * @param name the field likely to hold the list, e.g. `sites`
 * @throws ResponseError if there is no list, or errors are named beside it
 */
export function listOf(body: unknown, what: ErrorText, name: string): List {
  refuseFaults(holdersIn(body), what);
  const list = placedList(body, name, []);
  if (list === undefined)
    throw new ResponseError(errorText("answerNoList", { what, name, kind: kindOf(body) }));
  return { what, ...list };
}

function placedList(body: unknown, name: string, path: string[]): Omit<List, "what"> | undefined {
  if (Array.isArray(body)) return { items: body, place: path.join(".") || "list" };
  if (!isServiceObject(body) || path.length > MAX_WRAPPERS) return undefined;
  const isListed = (field: string): boolean => Array.isArray(body[field]);
  const named = ["data", name, ...COMMON_NAMES].filter(isListed);
  // There may also be empty lists: beside one that is null, they are no answer.
  const full = named.find((field) => !isNothing(body[field]));
  const isNull = ["data", name].some((field) => body[field] === null);
  const listed = full ?? named[0];
  if (listed !== undefined)
    return full === undefined && isNull ? undefined : placedList(body[listed], name, [...path, listed]);
  for (const field of [...WRAPPERS, name, ...COMMON_NAMES]) {
    const found = placedList(body[field], name, [...path, field]);
    if (found) return found;
  }
  if (isNull) return undefined;
  const lists = fieldsOf(body)
    .filter(([field]) => !FAULTS.has(plainName(field)) && !DESCRIPTION.test(plainName(field)))
    .map(([, value]) => value)
    .filter((value) => Array.isArray(value));
  const [only, ...others] = lists.length > 1 ? lists.filter(({ length }) => length > 0) : lists;
  return only && others.length === 0 ? placedList(only, name, [...path, "list"]) : undefined;
}
