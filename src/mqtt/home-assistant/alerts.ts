// The alerts of a site, or of the account, in Home Assistant: an event for each change, and what is open now.
import { ALERT_CHANGES } from "../../alerts/alert-changes";
import { MAX_SENT } from "../../limits";
import type { AlertUpdate, MessageAlert } from "../../messages/reader";
import { type SeverityClass, severityNameOf, severityOf } from "../../models/alert";
import { firstText } from "../../models/service-object";
import { byName, defined, groupedBy, mapValues } from "../../objects";
import { shownName } from "../../shown-text";
import { isoTime } from "../../time-units";
import type { PublishRule } from "../publications";
import { isId } from "../../settings/rules";
import { type Device, deviceTopic, type Found, type ShownAlert } from "./device";
import type { DeviceTable } from "./device-table";
import { type Entity, fieldEntity, MAX_LISTED, stateText } from "./entities";

const STATE = "alerts/state";
const EVENT = "alerts/event";

export const ALERTS: readonly Entity[] = [
  {
    key: "alerts_event",
    name: "alerts_event",
    state: EVENT,
    traits: { platform: "event", event_types: ALERT_CHANGES, icon: "mdi:bell-ring" },
  },
  fieldEntity("alerts_open", STATE, "open", {
    state_class: "measurement",
    suggested_display_precision: 0,
    icon: "mdi:alert-circle-outline",
    json_attributes_template: "{{ {'asOf': value_json.asOf, 'alerts': value_json.alerts} | tojson }}",
  }),
  fieldEntity("alerts_problem", STATE, "problem", { platform: "binary_sensor", device_class: "problem" }),
  // Not an enum: there may be more severities later.
  fieldEntity("alerts_severity", STATE, "severity", { icon: "mdi:alert" }),
];

/** Most severe first: an unknown severity may be worse than those known. */
const SEVERITIES: readonly SeverityClass[] = ["OTHER", "HIGH", "MEDIUM", "LOW"];

/** The fields of an alert that may say in words what it is about. */
const TITLE_FIELDS = ["title", "name", "message", "description", "text", "summary", "reason", "type", "code"];

/** The fields of an alert that an event has as attributes, in addition to its title. */
const EVENT_FIELDS = ["siteId", "systemId", "deviceId"] as const;

/** What an update reveals of each site, or of the account: the alerts that name no site. `now` in milliseconds. */
export function* alertsFound(
  rule: PublishRule,
  table: DeviceTable,
  update: AlertUpdate,
  now: number,
): Iterable<Found> {
  for (const one of updatesBySite(update, table.devices.values())) {
    const { siteId } = one;
    const open = openAfter(table.find({ siteId })?.open ?? [], one);
    const bySeverity = SEVERITIES.flatMap((severity) =>
      open.filter((alert) => severityOf({ severity: alert.severity }) === severity),
    );
    const payload = {
      asOf: isoTime(now),
      open: open.length,
      problem: open.length > 0 ? "ON" : "OFF",
      severity: bySeverity[0]?.severity ?? "none",
      alerts: bySeverity.slice(0, MAX_LISTED).map((alert) => mapValues(defined(alert), shownName)),
    };
    const [changed] = one.change === undefined ? [] : one.alerts;
    const topic = `${deviceTopic(rule.prefix, { siteId })}/${EVENT}`;
    yield {
      profile: { ...defined({ siteId }), entities: ALERTS.map(({ key }) => key) },
      states: { [STATE]: { payload } },
      open,
      isSeen: one.alerts.length > 0,
      ...(changed && { event: { topic, payload: eventOf(one, changed), retain: false } }),
    };
  }
}

/** What an update says of each site: a list of the account is also about the sites that have no alert in it. */
function updatesBySite(update: AlertUpdate, devices: Iterable<Device>): AlertUpdate[] {
  if (update.siteId !== undefined) return [update];
  const bySite = groupedBy(update.alerts, ({ alert: { siteId } }) => (isId(siteId) ? siteId : undefined));
  const { change } = update;
  for (const { profile, open } of change === undefined ? devices : []) {
    const { siteId } = profile;
    if ((siteId !== undefined || open) && !bySite.has(siteId)) bySite.set(siteId, []);
  }
  return [...bySite].map(([siteId, alerts]) => ({ siteId, change, alerts }));
}

/** The open alerts after a change, or those of a list. */
function openAfter(known: readonly ShownAlert[], update: AlertUpdate): ShownAlert[] {
  const { change, alerts } = update;
  const open = new Map(change === undefined ? [] : known.map((alert) => [alert.alertKey, alert]));
  for (const alert of alerts)
    if (change === "cleared") open.delete(alert.alertKey);
    else open.set(alert.alertKey, shownAlert(alert));
  return [...open.values()].slice(-MAX_SENT);
}

function shownAlert({ alertKey, severity, alert }: MessageAlert): ShownAlert {
  const title = firstText(alert, TITLE_FIELDS);
  const word = severity === "OTHER" ? stateText(severityNameOf(alert) ?? severity) : severity;
  return { alertKey, severity: word, ...(title !== undefined && { title: stateText(title) }) };
}

/** As JSON. */
function eventOf({ siteId, change }: AlertUpdate, alert: MessageAlert): string {
  const named = { siteId, ...alert.alert };
  const ids = byName(EVENT_FIELDS, (field) => firstText(named, [field]));
  return JSON.stringify(mapValues(defined({ event_type: change, ...shownAlert(alert), ...ids }), stateText));
}
