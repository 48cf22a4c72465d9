// Reads an alert. The service specifies only that it has a severity (service interface 4.6).
import { createHash } from "node:crypto";
import { MAX_ALERT_KEY_LENGTH, MAX_NAME_LENGTH } from "../limits";
import type { Alert, SeverityClass } from "./alert";
import { isEndField } from "./alert-end";
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

/** What identifies an alert without an id; each entry lists the plausible names of one field. */
const LOCATION = [["siteId"], ["systemId"], ["deviceId", "deviceSerial", "serialNumber"]];
const CAUSE = [
  ["code", "alertCode", "alertType", "type"],
  ["name", "title"],
];
const DESCRIPTION = ["message", "description", "text", "summary", "reason"];
const RAISED_AT = [
  "raisedAt",
  "startTime",
  "startedAt",
  "createdAt",
  "openedAt",
  "triggeredAt",
  "occurredAt",
  "since",
];

/** Fields that change in the life of an alert, besides those that say that it is over. */
const TRANSIENT =
  /^(last|ack)|updated|modified|^(severity|priority|count|occurrences|age|duration|timestamp)$/i;

/** The severity as the service spells it. */
export function severityNameOf(alert: Alert): string | undefined {
  return firstText(alert, ["severity"])?.trim();
}

/** The class of an alert's severity, ignoring case; OTHER if it is unknown or missing. */
export function severityOf(alert: Alert): SeverityClass {
  const name = severityNameOf(alert)?.toUpperCase();
  return name === "LOW" || name === "MEDIUM" || name === "HIGH" ? name : "OTHER";
}

/**
 * A name that stays the same in the life of an alert, even if its severity or state changes. Different alerts may share a
 * name if the service says too little about them. A numeric id is unique within its site only.
 */
export function alertNameOf(alert: Alert): string {
  const name = fullNameOf(alert);
  return name.length <= MAX_ALERT_KEY_LENGTH ? name : createHash("sha256").update(name).digest("hex");
}

function fullNameOf(alert: Alert): string {
  const id = firstValue(alert, ID_FIELDS);
  const site = typeof id === "number" ? firstValue(alert, ["siteId"]) : null;
  if (id !== null) return site === null ? String(id) : `${site}/${id}`;
  const causes = CAUSE.map((names) => firstValue(alert, names));
  // A description may change, so it is the last resort.
  const cause = causes.some(isKnown) ? causes : [firstValue(alert, DESCRIPTION)];
  const values = [...cause, firstValue(alert, RAISED_AT)];
  const locations = LOCATION.map((names) => firstValue(alert, names));
  return JSON.stringify(values.some(isKnown) ? [...locations, ...values] : contentOf(alert));
}

function isKnown(value: string | number | null): boolean {
  return value !== null;
}

/** What stays the same in the life of an alert; everything, if nothing does. */
export function lastingContentOf(alert: Alert): Alert {
  const lasting = Object.entries(alert).filter(([field]) => !isTransient(field));
  return lasting.length > 0 ? Object.fromEntries(lasting) : alert;
}

/** Longer names mean nothing. */
function isTransient(field: string): boolean {
  return field.length <= MAX_NAME_LENGTH && (TRANSIENT.test(field) || isEndField(field));
}

/** An alert without any known field is identified by everything in it that lasts. */
function contentOf(alert: Alert): [string, unknown][] {
  return Object.entries(lastingContentOf(alert)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function firstValue(alert: Alert, fields: string[]): string | number | null {
  for (const field of fields) {
    const value = alert[field];
    if ((typeof value === "string" && value !== "") || typeof value === "number") return value;
  }
  return null;
}
