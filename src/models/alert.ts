// An alert (service interface 4.6): only its severity is specified. What identifies it, what is news and whether it is over is read
// from the fields in which services usually say so; whatever is not listed here says nothing: a false "over" would hide a real problem.
import { canonicalJson, digestOf } from "../canonical-json";
import { MAX_ALERT_KEY_LENGTH, MAX_NAME_LENGTH } from "../limits";
import { isAhead } from "../time-units";
import type { ServiceObject } from "./service-object";
import { parseLenientTime } from "./time";

export interface Alert extends ServiceObject {
  severity?: string | null;
}

/** `OTHER` is any severity that this version does not know, or none. */
export type SeverityClass = "LOW" | "MEDIUM" | "HIGH" | "OTHER";

const ID_FIELDS = "alertId id alertUuid uuid guid alert_id eventId alarmId alertKey".split(" ");

/** What identifies an alert without an id; each entry lists the plausible names of one field. */
const LOCATION = [["siteId"], ["systemId"], ["deviceId", "deviceSerial", "serialNumber"]];
const CAUSE = [
  ["code", "alertCode", "alertType", "type"],
  ["name", "title"],
];
const DESCRIPTION = ["message", "description", "text", "summary", "reason"];
const RAISED_AT = "raisedAt startTime startedAt createdAt openedAt triggeredAt occurredAt since".split(" ");

/** Times of last sight, counters and durations: they change each time, and are no news. */
const MEASURED = /^last|updated|modified|^(count|occurrences|age|duration|timestamp)$/i;

/** Other fields that change in the life of an alert, in addition to those that say that it is over. */
const CHANGING = /^ack|^(severity|priority)$/i;

/** Names of fields, in lower case, letters only, whose change is news, apart from state: severity, texts, and who takes care. */
const NEWS =
  /^(alert)?severity|^(is)?(ack|acked|acknowledged|muted|snoozed)$|(title|name|message|msg|description|text|summary|reason|cause|type|code|details?|body|content|headline|subject|notes?|comment|advice|action|recommendation)$/;

const DURATION = String.raw`\d{1,9}(?:[.,]\d{1,9})? ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|times|x)(?![a-z])`;
/** Times and durations within a text, such as "offline for 1 h 5 min". Looks at a long row of digits once. */
const TIMES_IN_TEXT = new RegExp(
  String.raw`(?<!\d)(?:\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,20})?(?:Z|[+-]\d\d:?\d\d)?|\d{1,9}(?::\d\d){1,3}(?: ?[ap]m\b)?|${DURATION}(?:(?:,? (?:and )?)?${DURATION}){0,4})`,
  "gi",
);
/** Characters of a text in which they are looked for: a longer one would hold the event loop. */
const MAX_TEXT = 1000;

/** The severity as the service spells it. */
export function severityNameOf(alert: Alert): string | undefined {
  const name = firstValue(alert, ["severity"]);
  return name === null ? undefined : String(name).trim() || undefined;
}

/** The class of an alert's severity, ignoring case; OTHER if it is unknown or missing. */
export function severityOf(alert: Alert): SeverityClass {
  const name = severityNameOf(alert)?.toUpperCase();
  return name === "LOW" || name === "MEDIUM" || name === "HIGH" ? name : "OTHER";
}

/** Characters of the longest number, such as `#2`, that tells alerts with the same name apart in their keys. */
const NUMBER_LENGTH = 7;

/**
 * A name that stays the same in the life of an alert, even if its severity or state changes. Different alerts may share a
 * name if the service says too little about them. A numeric id is unique within its site only.
 */
export function alertNameOf(alert: Alert): string {
  const name = fullNameOf(alert);
  return name.length + NUMBER_LENGTH <= MAX_ALERT_KEY_LENGTH ? name : digestOf(name);
}

function fullNameOf(alert: Alert): string {
  const id = firstValue(alert, ID_FIELDS);
  const site = typeof id === "number" ? firstValue(alert, ["siteId"]) : null;
  if (id !== null) return site === null ? String(id) : `${site}/${id}`;
  const causes = CAUSE.map((names) => firstValue(alert, names));
  const isKnown = (value: string | number | null): boolean => value !== null;
  // A description may change, so it is the last resort.
  const cause = causes.some(isKnown) ? causes : [withoutTimes(firstValue(alert, DESCRIPTION))];
  const values = [...cause, firstValue(alert, RAISED_AT)];
  const locations = LOCATION.map((names) => firstValue(alert, names));
  if (values.some(isKnown)) return JSON.stringify([...locations, ...values]);
  // An alert without any known field is identified by everything in it that lasts, by numbers only if there is nothing else.
  const lasting = lastingContentOf(alert);
  const texts = Object.entries(lasting).flatMap(([field, value]) =>
    typeof value === "string" && !LOCATION.flat().includes(field) ? [[field, withoutTimes(value)]] : [],
  );
  return texts.length > 0 ? canonicalJson([...locations, texts.toSorted()]) : canonicalJson(lasting);
}

/** What stays the same in the life of an alert; everything, if nothing does. */
export function lastingContentOf(alert: Alert): Alert {
  const lasting = without(alert, (field) => {
    const name = plain(field);
    return MEASURED.test(field) || CHANGING.test(field) || CLOSING_TIME.test(name) || isState(name);
  });
  return Object.keys(lasting).length > 0 ? lasting : alert;
}

/** The alert as text, without what changes each time; the order of fields does not count. */
export function contentOf(alert: Alert): string {
  return canonicalJson(without(alert, (field) => MEASURED.test(field)));
}

/** What an alert says: two alerts with the same text differ in nothing that is news. */
export function newsOf(alert: Alert): string {
  const news = Object.entries(alert).flatMap(([field, value]) => {
    const name = plain(field);
    // What is also the name of a closing time holds a time more often than a flag.
    const isNews = !MEASURED.test(field) && (NEWS.test(name) || (isState(name) && !CLOSING_TIME.test(name)));
    const said = isNews ? saidBy(value) : undefined;
    return said === undefined ? [] : [[name, said]];
  });
  return canonicalJson(Object.fromEntries(news));
}

/** Texts, flags and codes. Numbers within an object are measurements or counters. */
function saidBy(value: unknown, isNested = false): unknown {
  if (typeof value === "number") return isNested ? undefined : value;
  if (typeof value !== "object") return typeof value === "string" ? withoutTimes(value) : value;
  if (value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, saidBy(part, true)]));
}

function withoutTimes<Value>(value: Value): Value | string {
  return typeof value === "string" && value.length <= MAX_TEXT ? value.replace(TIMES_IN_TEXT, "") : value;
}

function without(alert: Alert, isLeftOut: (field: string) => boolean): Alert {
  return Object.fromEntries(Object.entries(alert).filter(([field]) => !isLeftOut(field)));
}

function firstValue(alert: Alert, fields: string[]): string | number | null {
  for (const field of fields) {
    const value = alert[field];
    if ((typeof value === "string" && value !== "") || typeof value === "number") return value;
  }
  return null;
}

// Names and texts in lower case, letters and digits only.
const CLOSING_TIME =
  /^((closed|cleared|resolved|ended|recovered|fixed|deactivated|expired)(at|on|time|date|timestamp)?|(close|clear|resolve|resolution|recovery)time|end(at|time|date|timestamp)?)$/;
const STATUS = /^(alert|alarm|event|current|lifecycle|resolution)?(status|state)$/;
const OVER =
  /^((auto)?(cleared|closed|resolved)|clear|solved|fixed|recovered|inactive|notactive|nolongeractive|deactivated|ended|over|expired|finished|completed|done|cancell?ed|withdrawn)$/;
const TRUE_WHEN_OPEN = /^(is)?(active|open|ongoing|firing)$/;
const TRUE_WHEN_OVER =
  /^(is)?(inactive|closed|cleared|resolved|solved|fixed|ended|expired|recovered|finished)$/;

function isState(name: string): boolean {
  return STATUS.test(name) || TRUE_WHEN_OPEN.test(name) || TRUE_WHEN_OVER.test(name);
}

/** Earlier times stand for "none", such as those of the year 1 or of 1970. */
const EARLIEST = Date.UTC(2000, 0, 1);

/**
 * Whether an alert is over: it has a closing time that has passed, a status such as `CLOSED`, or a flag such as
 * `isActive: false`. One of them is enough. An acknowledged alert is not over.
 * @param now milliseconds since the epoch
 */
export function isOver(alert: Alert, now: number): boolean {
  return Object.entries(alert).some(([field, value]) => saysOver(plain(field), value, now));
}

function saysOver(name: string, value: unknown, now: number): boolean {
  const time = CLOSING_TIME.test(name) ? parseLenientTime(value) : undefined;
  if (time !== undefined && time >= EARLIEST && !isAhead(time, now)) return true;
  if (!isState(name)) return false;
  if (STATUS.test(name) && typeof value === "string" && OVER.test(plain(value))) return true;
  const flag = typeof value === "string" ? plain(value) : value;
  if (TRUE_WHEN_OPEN.test(name)) return flag === false || flag === "false";
  return TRUE_WHEN_OVER.test(name) && (flag === true || flag === "true");
}

/** `closed_at` and `closedAt` are one name. A longer text is none of these names, and would hold the event loop. */
function plain(text: string): string {
  if (text.length > MAX_NAME_LENGTH) return "";
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}
