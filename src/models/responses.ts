// Turns the JSON of a response into models: finds the list, sets apart the items that cannot be read, and passes on the rest unchanged.
import { digestOf } from "../canonical-json";
import { type ErrorText, errorText, ResponseError } from "../errors";
import { MAX_KEPT_MESSAGE, MAX_TOKEN_LENGTH, MAX_UNREADABLE_ITEMS } from "../limits";
import { decimalOf } from "../settings/rules";
import { type Alert, alertNameOf } from "./alert";
import { type AnswerPlace, holdersIn, type List, listOf, refuseFaults, WRAPPERS } from "./envelope";
import { firstText, isLarge, isServiceObject, kindOf, objectOf } from "./service-object";
import {
  ID_FIELDS,
  isSite,
  listedSystemsOf,
  readableSystemsOf,
  type Site,
  siteIdOf,
  systemIdOf,
  systemsOf,
} from "./site";
import { type IntervalRecord, readTimes, type SourceName, type TimedRecord } from "./telemetry";
import { parseServiceTime, serviceTimeReader } from "./time";

export interface RecordAnswer<R extends IntervalRecord = IntervalRecord> {
  /** In time order, each once. */
  readonly records: readonly TimedRecord<R>[];
  readonly unreadable: readonly UnreadableItem[];
}

/** A record without a valid interval, a site or system without a valid id, or an alert that is too large or no object. It spoils no other item. */
export interface UnreadableItem {
  readonly fault: ErrorText;
  /** The same for the same item in every response. */
  readonly id: string;
}

/** The items of a page, or of all pages of a list. */
export interface Items<Item> {
  readonly readable: Item[];
  /** Of many, only the first. */
  readonly unreadable: UnreadableItem[];
  readonly count: number;
}

const SITE: AnswerPlace = { what: errorText("siteAnswer"), place: "site" };

/** The items of a site list; also unreadable are systems without a valid id. Throws ResponseError if there is no list. */
export function parseSites(body: unknown): Items<Site> {
  const list = listOf(body, errorText("siteListAnswer"), "sites");
  const sites = readableItems(
    list,
    (item) => (isSite(item) ? item : undefined),
    (item, at) => {
      const fault = idFault(item, "site", at);
      // Its place identifies an item of a list that is about the same each time.
      return { fault, id: digestOf(fault) };
    },
  );
  for (const [index, site] of list.items.entries()) {
    if (sites.unreadable.length >= MAX_UNREADABLE_ITEMS) break;
    if (isSite(site)) sites.unreadable.push(...unreadableSystemsOf(site, placeIn(list, index)));
  }
  return sites;
}

/**
 * A site's details: bare, wrapped in `site`, `data` and the like, or as the only item of a list. Systems and devices may be next to a
 * wrapped site. Throws ResponseError if it has no id, or errors are named beside it; also in a bare site that shows no systems, since
 * they may be why.
 */
export function parseSiteDetails(body: unknown): Site {
  const candidates = [body];
  for (const outer of candidates) {
    if (isSite(outer)) {
      if (outer === body && systemsOf(outer).length === 0) refuseFaults(holdersIn(body, isSite), SITE.what);
      return outer;
    }
    if (isServiceObject(outer)) {
      const others = holdersIn(outer, isSite).filter(({ object }) => !isSite(object));
      refuseFaults(others, SITE.what);
      const { site, ...beside } = outer;
      const isSplit = isSite(site) && ["systems", "devices"].some((field) => field in beside);
      const wrapped = [...WRAPPERS, "sites"].map((name) => outer[name]);
      candidates.push(isSplit ? { ...beside, ...site } : site, ...wrapped);
    }
    if (Array.isArray(outer) && outer.length === 1) candidates.push(...outer);
  }
  throw new ResponseError(idFault(body, "site", SITE));
}

/** The records of a response: `{data: [...]}` (service interface 4.4, 4.5). Throws ResponseError for another shape. */
export function parseRecords<R extends IntervalRecord>(
  body: unknown,
  source: SourceName,
): Items<TimedRecord<R>> {
  const what = errorText(`${source}Answer`);
  refuseFaults(holdersIn(body), what);
  const items = isServiceObject(body) ? body["data"] : undefined;
  if (!Array.isArray(items))
    throw new ResponseError(errorText("answerNoList", { what, name: "data", kind: kindOf(body) }));
  const timeOf = serviceTimeReader();
  const read = (item: unknown): TimedRecord<R> | undefined => {
    const timed = isServiceObject(item) ? readTimes(item as R, timeOf) : undefined;
    return timed && timed.end >= timed.start ? timed : undefined;
  };
  return readableItems({ what, place: "data", items }, read, unreadableRecord);
}

/** The items of a list of alerts, which may be any objects up to a size. Throws ResponseError if there is no list. */
export function parseAlerts(body: unknown): Items<Alert> {
  return readableItems(
    listOf(body, errorText("alertAnswer"), "alerts"),
    (item) => (isServiceObject(item) && !isLarge(item) ? item : undefined),
    // Not its place identifies it: other alerts come and go.
    (item, at) =>
      isServiceObject(item)
        ? {
            fault: errorText("answerItemLarge", { ...at, size: `${MAX_KEPT_MESSAGE / 2 ** 10} KiB` }),
            id: alertNameOf(item),
          }
        : { fault: notObject(item, at), id: digestOf(item) },
  );
}

/** Throws ResponseError if none of the items can be read: then the whole list is malformed. */
export function refuseUnreadable<Item>(items: Items<Item>): Items<Item> {
  const [first] = items.unreadable;
  if (first && items.readable.length === 0) throw new ResponseError(first.fault);
  return items;
}

/** A token, and its lifetime if there is one. Throws ResponseError if the token cannot be sent in a header. */
export function parseAccessToken(body: unknown): { text: string; seconds: number | null } {
  const { access_token: text, expires_in: lifetime } = objectOf(body);
  const isUsable = typeof text === "string" && text.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text);
  if (!isUsable) throw new ResponseError(errorText("answerToken"));
  return { text, seconds: decimalOf(lifetime) };
}

/** @param read returns undefined for an item that cannot be read */
function readableItems<Item>(
  list: List,
  read: (item: unknown) => Item | undefined,
  describe: (item: unknown, at: AnswerPlace) => UnreadableItem,
): Items<Item> {
  const readable: Item[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const [index, item] of list.items.entries()) {
    const one = read(item);
    if (one !== undefined) readable.push(one);
    else if (unreadable.length < MAX_UNREADABLE_ITEMS) unreadable.push(describe(item, placeIn(list, index)));
  }
  return { readable, unreadable, count: list.items.length };
}

function placeIn({ what, place }: List, index: number): AnswerPlace {
  return { what, place: `${place}[${index}]` };
}

/** Its times identify it, because its numbers may change; everything does, if it has none. */
function unreadableRecord(item: unknown, at: AnswerPlace): UnreadableItem {
  if (!isServiceObject(item)) return { fault: notObject(item, at), id: digestOf(item) };
  const { startTime, endTime } = item;
  const field = ["startTime", "endTime"].find((name) => parseServiceTime(item[name]) === undefined);
  const fault =
    field === undefined
      ? errorText("answerTimesOrder", { ...at, place: `${at.place}.endTime` })
      : errorText("answerNoTime", { ...at, place: `${at.place}.${field}`, kind: kindOf(item[field]) });
  const hasTimes = startTime !== undefined || endTime !== undefined;
  return { fault, id: digestOf(hasTimes ? [startTime, endTime] : item) };
}

/** The systems that cannot be told apart, up to a limit. A site none of whose systems shows an id is read as a whole. */
export function unreadableSystemsOf(site: Site, { what, place }: AnswerPlace = SITE): UnreadableItem[] {
  const systems: readonly unknown[] = listedSystemsOf(site);
  const ids = new Set(readableSystemsOf(site).map(systemIdOf));
  return [...systems.entries()]
    .filter(([, system]) => !isServiceObject(system) || !ids.has(systemIdOf(system)))
    .slice(0, MAX_UNREADABLE_ITEMS)
    .map(([index, system]) => {
      const fault = idFault(system, "system", { what, place: `${place}.systems[${index}]` });
      return { fault, id: `${siteIdOf(site)} ${digestOf(fault)}` };
    });
}

function idFault(item: unknown, of: keyof typeof ID_FIELDS, at: AnswerPlace): ErrorText {
  if (!isServiceObject(item)) return notObject(item, at);
  const [first] = ID_FIELDS[of];
  const field = ID_FIELDS[of].find((name) => item[name] !== undefined && item[name] !== null) ?? first;
  const place = `${at.place}.${field}`;
  return firstText(item, ID_FIELDS[of]) === undefined
    ? errorText("answerNoId", { ...at, place, kind: kindOf(item[field]) })
    : errorText("answerIdInvalid", { ...at, place });
}

function notObject(item: unknown, at: AnswerPlace): ErrorText {
  return errorText("answerNotObject", { ...at, kind: kindOf(item) });
}
