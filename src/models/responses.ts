// Turns the JSON of a response into models: checks what is required and passes on the rest unchanged.
import { type ErrorText, errorText, ResponseError } from "../errors";
import { MAX_TOKEN_LENGTH, MAX_UNREADABLE_ITEMS } from "../limits";
import type { Alert } from "./alert";
import { listOf, objectsOf } from "./list-envelope";
import { kindOf, isServiceObject } from "./service-object";
import type { Site, SiteDetails } from "./site";
import { siteIdOf } from "./site-reader";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "./telemetry";
import { serviceTimeReader } from "./time";
import { readTimes, type RecordAnswer, type TimedRecord, uniqueInOrder } from "./timed-record";
import type { AccessToken } from "./token";
import {
  readableItems,
  UnreadableItem,
  unreadableRecord,
  unreadableSite,
  unreadableSystems,
} from "./unreadable-item";

const SITE_ANSWER = errorText("siteAnswer");

/** The items of a site list. Throws ResponseError if there is no list. */
export function parseSites(body: unknown): (Site | UnreadableItem)[] {
  const what = errorText("siteListAnswer");
  const { items, place } = listOf(body, what, "sites");
  return readableItems(
    items,
    (item) => (isSite(item) ? item : undefined),
    (item, index) => unreadableSite(item, what, `${place}[${index}]`),
  );
}

/**
 * The sites of all pages of a list, and what cannot be read of them: sites and systems without a valid id.
 * @throws ResponseError if none can be read: then the whole list is malformed
 */
export function siteAnswer(items: readonly (Site | UnreadableItem)[]): {
  sites: Site[];
  unreadable: UnreadableItem[];
} {
  const sites: Site[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const item of items) {
    if (item instanceof UnreadableItem) unreadable.push(item);
    else sites.push(item);
  }
  const [first] = unreadable;
  if (first && sites.length === 0) throw new ResponseError(first.fault);
  const what = errorText("siteListAnswer");
  for (const [index, site] of sites.entries()) {
    if (unreadable.length >= MAX_UNREADABLE_ITEMS) break;
    unreadable.push(...unreadableSystems(site, what, `list[${index}]`));
  }
  return { sites, unreadable };
}

/**
 * A site's details: bare, wrapped in `data` or `site`, or as the only item of a list. Systems and devices may be next to a
 * wrapped site. Throws ResponseError if it has no id.
 */
export function parseSiteDetails(body: unknown): SiteDetails {
  const candidates = [body];
  for (const outer of candidates) {
    if (isSite(outer)) return outer;
    if (isServiceObject(outer)) {
      const { site, ...beside } = outer;
      const isSplit = isSite(site) && ["systems", "devices"].some((field) => field in beside);
      candidates.push(isSplit ? { ...beside, ...site } : site, outer["data"], outer["result"]);
    }
    if (Array.isArray(outer) && outer.length === 1) candidates.push(...outer);
  }
  throw new ResponseError(unreadableSite(body, SITE_ANSWER, "site").fault);
}

/** The systems of a site's details that have no valid id. */
export function unreadableSystemsOf(site: SiteDetails): UnreadableItem[] {
  return unreadableSystems(site, SITE_ANSWER, "site");
}

/** The items of a telemetry response: `{data: [...]}` (service interface 4.4). Throws ResponseError for another shape. */
export function parseTelemetry(body: unknown): (TimedRecord<TelemetryRecord> | UnreadableItem)[] {
  return parseRecords(body, errorText("telemetryAnswer"));
}

/** The items of an RGM telemetry response: `{data: [...]}` (service interface 4.5). Throws ResponseError for another shape. */
export function parseRgmTelemetry(body: unknown): (TimedRecord<RgmRecord> | UnreadableItem)[] {
  return parseRecords(body, errorText("rgmAnswer"));
}

/** The records of all pages of a response, sorted and each once, apart from those that cannot be read. */
export function recordAnswer<R extends IntervalRecord>(
  items: readonly (TimedRecord<R> | UnreadableItem)[],
): RecordAnswer<R> {
  const records: TimedRecord<R>[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const item of items) {
    if (item instanceof UnreadableItem) unreadable.push(item);
    else records.push(item);
  }
  return { records: uniqueInOrder(records), unreadable };
}

/** The alerts of an account or a site, which may be any objects. Throws ResponseError. */
export function parseAlerts(body: unknown): Alert[] {
  return objectsOf(body, errorText("alertAnswer"), "alerts").items;
}

/** The response of the token endpoint. Throws ResponseError if the token cannot be sent in a header. */
export function parseAccessToken(body: unknown): AccessToken {
  if (isAccessToken(body)) return body;
  throw new ResponseError(errorText("answerToken"));
}

function isAccessToken(value: unknown): value is AccessToken {
  const token = isServiceObject(value) ? value["access_token"] : undefined;
  return typeof token === "string" && token.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);
}

function isSite(value: unknown): value is Site {
  return isServiceObject(value) && siteIdOf(value as Site) !== "";
}

function parseRecords(body: unknown, what: ErrorText): (TimedRecord | UnreadableItem)[] {
  const items = isServiceObject(body) ? body["data"] : undefined;
  if (!Array.isArray(items))
    throw new ResponseError(errorText("answerNoList", { what, name: "data", kind: kindOf(body) }));
  const timeOf = serviceTimeReader();
  return readableItems(
    items,
    (item) => {
      const timed = isServiceObject(item) ? readTimes(item as IntervalRecord, timeOf) : undefined;
      return timed && timed.end >= timed.start ? timed : undefined;
    },
    (item, index) => unreadableRecord(item, what, `data[${index}]`),
  );
}
