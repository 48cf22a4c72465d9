// Turns the JSON of a response into models: checks what is required and passes on the rest unchanged.
import { createHash } from "node:crypto";
import { type ErrorText, errorText, ResponseError } from "../errors";
import type { Alert } from "./alert";
import { objectsOf } from "./list-envelope";
import { kindOf, firstText, isServiceObject } from "./service-object";
import type { Site, SiteDetails } from "./site";
import { SITE_ID_FIELDS } from "./site-reader";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "./telemetry";
import { parseServiceTime, serviceTimeReader } from "./time";
import {
  readTimes,
  type RecordAnswer,
  type TimedRecord,
  uniqueInOrder,
  UnreadableRecord,
} from "./timed-record";
import type { AccessToken } from "./token";

/** The sites of a site list. Throws ResponseError if one has no id. */
export function parseSites(body: unknown): Site[] {
  const what = errorText("siteListAnswer");
  const { items, place } = objectsOf(body, what, "sites");
  return items.map((item, index) => asSite(item, what, `${place}[${index}]`));
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
  return asSite(body, errorText("siteAnswer"), "site");
}

/** The items of a telemetry response: `{data: [...]}` (service interface 4.4). Throws ResponseError for another shape. */
export function parseTelemetry(body: unknown): (TimedRecord<TelemetryRecord> | UnreadableRecord)[] {
  return parseRecords(body, errorText("telemetryAnswer"));
}

/** The items of an RGM telemetry response: `{data: [...]}` (service interface 4.5). Throws ResponseError for another shape. */
export function parseRgmTelemetry(body: unknown): (TimedRecord<RgmRecord> | UnreadableRecord)[] {
  return parseRecords(body, errorText("rgmAnswer"));
}

/** The records of all pages of a response, sorted and each once, apart from those that cannot be read. */
export function recordAnswer<R extends IntervalRecord>(
  items: readonly (TimedRecord<R> | UnreadableRecord)[],
): RecordAnswer<R> {
  const records: TimedRecord<R>[] = [];
  const unreadable: UnreadableRecord[] = [];
  for (const item of items) {
    if (item instanceof UnreadableRecord) unreadable.push(item);
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
  return typeof token === "string" && /^[\x21-\x7e]+$/.test(token);
}

/** @param place path of the site in the response, such as `data[2]` */
function asSite(value: unknown, what: ErrorText, place: string): Site {
  if (isSite(value)) return value;
  if (!isServiceObject(value))
    throw new ResponseError(errorText("answerNotObject", { what, place, kind: kindOf(value) }));
  throw new ResponseError(errorText("answerSiteId", { what, place, kind: kindOf(value["siteId"]) }));
}

function isSite(value: unknown): value is Site {
  return isServiceObject(value) && firstText(value, SITE_ID_FIELDS) !== undefined;
}

function parseRecords(body: unknown, what: ErrorText): (TimedRecord | UnreadableRecord)[] {
  const items = isServiceObject(body) ? body["data"] : undefined;
  if (!Array.isArray(items))
    throw new ResponseError(errorText("answerNoList", { what, name: "data", kind: kindOf(body) }));
  const timeOf = serviceTimeReader();
  return items.map((item: unknown, index) => {
    const timed = isServiceObject(item) ? readTimes(item as IntervalRecord, timeOf) : undefined;
    return timed && timed.end >= timed.start ? timed : unreadable(item, what, `data[${index}]`);
  });
}

function unreadable(item: unknown, what: ErrorText, place: string): UnreadableRecord {
  return new UnreadableRecord(
    faultOf(item, what, place),
    createHash("sha1").update(idOf(item)).digest("base64url"),
  );
}

/** Its times, because its numbers may change; everything, if it has none. */
function idOf(item: unknown): string {
  const { startTime, endTime } = isServiceObject(item) ? item : {};
  return JSON.stringify(startTime === undefined && endTime === undefined ? item : [startTime, endTime]) ?? "";
}

function faultOf(item: unknown, what: ErrorText, place: string): ErrorText {
  if (!isServiceObject(item)) return errorText("answerNotObject", { what, place, kind: kindOf(item) });
  const field = ["startTime", "endTime"].find((name) => parseServiceTime(item[name]) === undefined);
  return field === undefined
    ? errorText("answerTimesOrder", { what, place: `${place}.endTime` })
    : errorText("answerNoTime", { what, place: `${place}.${field}`, kind: kindOf(item[field]) });
}
