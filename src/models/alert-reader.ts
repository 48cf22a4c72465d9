// Reads an alert, of which the service fixes nothing but that it has a severity (service interface 4.6).
import type { Alert, SeverityClass } from "./alert";
import { firstText } from "./service-object";

const ID_FIELDS = ["alertId", "id", "alertUuid", "uuid", "alert_id", "eventId"];

/** What tells two alerts without ids apart; each line is one trait under its plausible names. */
const TRAITS = [
  ["siteId"],
  ["systemId"],
  ["deviceId", "deviceSerial", "serialNumber"],
  ["code", "alertCode", "alertType", "type"],
  ["name", "title"],
  ["raisedAt", "startTime", "startedAt", "createdAt", "openedAt", "triggeredAt", "occurredAt"],
];

/** The service's own name of the severity. */
export function severityNameOf(alert: Alert): string | undefined {
  return firstText(alert, ["severity"])?.trim();
}

/** The class of an alert's severity, in any case; unknown names and none at all are OTHER. */
export function severityOf(alert: Alert): SeverityClass {
  const name = severityNameOf(alert)?.toUpperCase();
  return name === "LOW" || name === "MEDIUM" || name === "HIGH" ? name : "OTHER";
}

/** Names an alert for as long as it is open: it stays the same when severity or description change. */
export function alertKeyOf(alert: Alert): string {
  const id = firstMark(alert, ID_FIELDS);
  if (id !== null) return String(id);
  const traits = TRAITS.map((names) => firstMark(alert, names));
  return JSON.stringify(traits.some((trait) => trait !== null) ? traits : contentOf(alert));
}

/** Of an alert without any known trait, everything but the severity identifies it. */
function contentOf({ severity: _severity, ...content }: Alert): [string, unknown][] {
  return Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function firstMark(alert: Alert, fields: string[]): string | number | null {
  for (const field of fields) {
    const value = alert[field];
    if ((typeof value === "string" && value !== "") || typeof value === "number") return value;
  }
  return null;
}
