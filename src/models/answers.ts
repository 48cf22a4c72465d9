// From the JSON of an answer to the models: what must be there is checked, everything else is passed on as it came.
import { ResponseError } from "../client/errors";
import type { Alert } from "./alert";
import { objectsOf } from "./list-envelope";
import { describe, firstText, isServiceObject } from "./service-object";
import type { ServiceObject, Site, SiteDetails } from "./site";
import { SITE_ID_FIELDS } from "./site-reader";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "./telemetry";
import { parseServiceTime } from "./time";

/** The sites of a site list. Throws ResponseError when one has no id. */
export function parseSites(body: unknown): Site[] {
  const { items, place } = objectsOf(body, "site list answer", "sites");
  return items.map((item, index) => asSite(item, `site list answer: ${place}[${index}]`));
}

/** A site's details, bare or wrapped in `data` or `site`. Throws ResponseError when it has no id. */
export function parseSiteDetails(body: unknown): SiteDetails {
  const candidates = [body];
  for (const outer of candidates) {
    if (!isServiceObject(outer)) continue;
    if (firstText(outer, SITE_ID_FIELDS) !== undefined) return outer as Site;
    candidates.push(outer["data"], outer["site"]);
  }
  return asSite(body, "site answer");
}

/** The records of a telemetry answer. Throws ResponseError when a record has no readable interval. */
export function parseTelemetry(body: unknown): TelemetryRecord[] {
  return parseRecords(body, "telemetry answer");
}

/** The records of an RGM telemetry answer. Throws ResponseError when a record has no readable interval. */
export function parseRgmTelemetry(body: unknown): RgmRecord[] {
  return parseRecords(body, "rgm-telemetry answer");
}

/** The alerts of an account or of a site; nothing is asked of one but to be an object. */
export function parseAlerts(body: unknown): Alert[] {
  return objectsOf(body, "alert answer", "alerts").items as Alert[];
}

function asSite(value: unknown, what: string): Site {
  if (!isServiceObject(value)) throw new ResponseError(`${what} is no object (it is ${describe(value)})`);
  if (firstText(value, SITE_ID_FIELDS) === undefined) {
    throw new ResponseError(`${what}: siteId is no text (it is ${describe(value["siteId"])})`);
  }
  return value as Site;
}

function parseRecords(body: unknown, what: string): IntervalRecord[] {
  const { items, place } = objectsOf(body, what, "records");
  for (const [index, item] of items.entries()) {
    const start = timeOf(item, "startTime", `${what}: ${place}[${index}]`);
    const end = timeOf(item, "endTime", `${what}: ${place}[${index}]`);
    if (end < start) throw new ResponseError(`${what}: ${place}[${index}].endTime is before its startTime`);
  }
  return items as IntervalRecord[];
}

function timeOf(record: ServiceObject, field: string, where: string): number {
  const time = parseServiceTime(record[field]);
  if (time !== undefined) return time;
  throw new ResponseError(`${where}.${field} is no time: it is ${describe(record[field])}`);
}
