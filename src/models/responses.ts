// Turns the JSON of a response into models: checks what is required and passes on the rest unchanged.
import { type ErrorText, errorText, ResponseError } from "../errors";
import type { Alert } from "./alert";
import { objectsOf } from "./list-envelope";
import { kindOf, firstText, isServiceObject } from "./service-object";
import type { ServiceObject, Site, SiteDetails } from "./site";
import { SITE_ID_FIELDS } from "./site-reader";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "./telemetry";
import { parseServiceTime, serviceTimeReader } from "./time";
import { readTimes, type TimedRecord } from "./timed-record";
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

/** The records of a telemetry response. Throws ResponseError if a record has no valid interval. */
export function parseTelemetry(body: unknown): TimedRecord<TelemetryRecord>[] {
  return parseRecords(body, errorText("telemetryAnswer"));
}

/** The records of an RGM telemetry response. Throws ResponseError if a record has no valid interval. */
export function parseRgmTelemetry(body: unknown): TimedRecord<RgmRecord>[] {
  return parseRecords(body, errorText("rgmAnswer"));
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

function parseRecords(body: unknown, what: ErrorText): TimedRecord[] {
  const { items, place } = objectsOf(body, what, "records");
  const timeOf = serviceTimeReader();
  return items.map((item, index) => {
    const timed = readTimes(item as IntervalRecord, timeOf);
    if (timed && timed.end >= timed.start) return timed;
    throw new ResponseError(intervalError(item, what, `${place}[${index}]`));
  });
}

function intervalError(record: ServiceObject, what: ErrorText, place: string): ErrorText {
  const unreadable = ["startTime", "endTime"].find((field) => parseServiceTime(record[field]) === undefined);
  return unreadable === undefined
    ? errorText("answerTimesOrder", { what, place: `${place}.endTime` })
    : errorText("answerNoTime", {
        what,
        place: `${place}.${unreadable}`,
        kind: kindOf(record[unreadable]),
      });
}
