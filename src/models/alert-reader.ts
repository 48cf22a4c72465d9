// Reads an alert, of which the service fixes nothing but that it has a severity (service interface 4.6).
import type { Alert, SeverityClass } from "./alert";
import { firstText } from "./service-object";

const ID_FIELDS = [
  "alertId",
  "id",
  "alertUuid",
  "uuid",
  "guid",
  "alert_id",
  "eventId",
  "alarmId",
  "alertKey",
];

/** What tells two alerts without ids apart; each line is one trait under its plausible names. */
const PLACE = [["siteId"], ["systemId"], ["deviceId", "deviceSerial", "serialNumber"]];
const CAUSE = [
  ["code", "alertCode", "alertType", "type"],
  ["name", "title"],
];
const WORDS = ["message", "description", "text", "summary", "reason"];
const ONSET = [
  "raisedAt",
  "startTime",
  "startedAt",
  "createdAt",
  "openedAt",
  "triggeredAt",
  "occurredAt",
  "since",
];

/** Fields that change while an alert is open. */
const PASSING =
  /^(severity|priority|state|status|last.*|.*updated.*|.*modified.*|count|occurrences|ack.*|age|duration|timestamp)$/i;

/** The service's own name of the severity. */
export function severityNameOf(alert: Alert): string | undefined {
  return firstText(alert, ["severity"])?.trim();
}

/** The class of an alert's severity, in any case; unknown names and none at all are OTHER. */
export function severityOf(alert: Alert): SeverityClass {
  const name = severityNameOf(alert)?.toUpperCase();
  return name === "LOW" || name === "MEDIUM" || name === "HIGH" ? name : "OTHER";
}

/**
 * Names an alert for as long as it is open: it stays the same when severity or state change. Different alerts may share
 * a name where the service tells too little of them. A number is an id within its site only.
 */
export function alertNameOf(alert: Alert): string {
  const id = firstMark(alert, ID_FIELDS);
  const site = typeof id === "number" ? firstMark(alert, ["siteId"]) : null;
  if (id !== null) return site === null ? String(id) : `${site}/${id}`;
  const causes = CAUSE.map((names) => firstMark(alert, names));
  // A description may change; it counts where nothing else says what the alert is about.
  const cause = causes.some(isKnown) ? causes : [firstMark(alert, WORDS)];
  const marks = [...cause, firstMark(alert, ONSET)];
  const places = PLACE.map((names) => firstMark(alert, names));
  return JSON.stringify(marks.some(isKnown) ? [...places, ...marks] : contentOf(alert));
}

function isKnown(mark: string | number | null): boolean {
  return mark !== null;
}

/** Of an alert without any known trait, everything that stays identifies it. */
function contentOf(alert: Alert): [string, unknown][] {
  const content = Object.entries(alert).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lasting = content.filter(([field]) => !PASSING.test(field));
  return lasting.length > 0 ? lasting : content;
}

function firstMark(alert: Alert, fields: string[]): string | number | null {
  for (const field of fields) {
    const value = alert[field];
    if ((typeof value === "string" && value !== "") || typeof value === "number") return value;
  }
  return null;
}
