// The alerts of a site, or of the account, in Home Assistant: an event for each change, and what is open now.
import { MAX_SENT } from "../../limits";
import { ALERT_CHANGES, type AlertUpdate, type MessageAlert, siteOfAlert } from "../../messages/reader";
import { type SeverityClass, severityNameOf, severityOf } from "../../models/alert";
import { firstText } from "../../models/service-object";
import { type Publication, type PublishRule, seriesTopic } from "../publications";
import { stateText, deviceId, type Discovery, escaped, type KnownDevice } from "./discovery";
import { NAMES } from "./names";

/** An open alert. */
export interface ShownAlert {
  readonly alertKey: string;
  /** One that this version does not know is shown by the service's own word. */
  readonly severity: string;
  readonly title?: string;
}

/** Of a site or, without one, of the account: the alerts that name no site. */
export interface AlertsDevice extends KnownDevice<"alerts", { siteId?: string; siteName?: string }> {
  readonly open: readonly ShownAlert[];
  /** When the last message arrived, in milliseconds. */
  readonly asOf: number;
}

/** Most severe first: an unknown severity may be worse than those known. */
const SEVERITIES: readonly SeverityClass[] = ["OTHER", "HIGH", "MEDIUM", "LOW"];

/** The fields of an alert that may say in words what it is about. */
const TITLE_FIELDS = ["title", "name", "message", "description", "text", "summary", "reason", "type", "code"];

/** How many alerts the attributes list, and in how many bytes: Home Assistant stores no more than 16 KiB. */
const MAX_LISTED = 20;
const MAX_LISTED_BYTES = 12_000;

/** The fields of an alert that an event has as attributes, in addition to its title. */
const EVENT_FIELDS = ["siteId", "systemId", "deviceId"];

/** No escaped id contains `_al`, so no other device has this id. */
export function alertsId(prefix: string, siteId: string | undefined): string {
  return `${alertsOwnerId(prefix, siteId)}_alerts`;
}

/** Home Assistant shows the alerts of a site on the same page as its readings: as one device. */
export function alertsOwnerId(prefix: string, siteId: string | undefined): string {
  return siteId === undefined ? escaped(prefix) : deviceId(prefix, { siteId });
}

/** What an update says of each site: a list of the account is also about the sites that have no alert in it. */
export function updatesBySite(update: AlertUpdate, siteIds: Iterable<string | undefined>): AlertUpdate[] {
  if (update.change !== undefined) return [{ ...update, siteId: update.siteId ?? siteOfAlert(update.alert) }];
  if (update.siteId !== undefined) return [update];
  const bySite = new Map<string | undefined, MessageAlert[]>();
  for (const siteId of siteIds) bySite.set(siteId, []);
  for (const alert of update.open) {
    const siteId = siteOfAlert(alert);
    const ofSite = bySite.get(siteId);
    if (ofSite) ofSite.push(alert);
    else bySite.set(siteId, [alert]);
  }
  return [...bySite].map(([siteId, open]) => ({ siteId, change: undefined, open }));
}

/** What an update reveals about the alerts of a site, or of the account. `asOf`: now, in milliseconds. */
export function alertsOf(
  { prefix }: PublishRule,
  known: AlertsDevice | undefined,
  update: AlertUpdate,
  asOf: number,
): AlertsDevice {
  const { siteId } = update;
  const profile = { ...known?.profile, ...(siteId !== undefined && { siteId }) };
  const open = openAfter(known?.open ?? [], update);
  return { kind: "alerts", id: alertsId(prefix, siteId), profile, open, asOf };
}

/** The open alerts after a change, or those of a list. */
function openAfter(known: readonly ShownAlert[], update: AlertUpdate): ShownAlert[] {
  const isChange = update.change !== undefined;
  const open = new Map(isChange ? known.map((alert) => [alert.alertKey, alert]) : []);
  for (const alert of isChange ? [update.alert] : update.open) open.set(alert.alertKey, shownAlert(alert));
  if (update.change === "cleared") open.delete(update.alert.alertKey);
  return [...open.values()].slice(-MAX_SENT);
}

function shownAlert({ alertKey, severity, alert }: MessageAlert): ShownAlert {
  const title = firstText(alert, TITLE_FIELDS);
  const word = severity === "OTHER" ? stateText(severityNameOf(alert) ?? severity) : severity;
  return { alertKey, severity: word, ...(title !== undefined && { title: stateText(title) }) };
}

export function alertsDiscovery(rule: PublishRule, { profile }: AlertsDevice): Discovery {
  const { siteId, siteName = siteId } = profile;
  const names = NAMES[rule.language];
  const topic = alertsTopic(rule, siteId, "state");
  return {
    deviceId: alertsOwnerId(rule.prefix, siteId),
    device: { name: siteName ?? names.account },
    // Without an availability: they are polled on a schedule of their own, and an attribute says how current they are.
    components: {
      alerts_event: {
        platform: "event",
        name: names.alerts_event,
        event_types: ALERT_CHANGES,
        icon: "mdi:bell-ring",
        state_topic: alertsTopic(rule, siteId, "event"),
      },
      alerts_open: {
        platform: "sensor",
        name: names.alerts_open,
        state_class: "measurement",
        suggested_display_precision: 0,
        icon: "mdi:alert-circle-outline",
        state_topic: topic,
        value_template: "{{ value_json.open }}",
        json_attributes_topic: topic,
        json_attributes_template: "{{ {'asOf': value_json.asOf, 'alerts': value_json.alerts} | tojson }}",
      },
      alerts_problem: {
        platform: "binary_sensor",
        name: names.alerts_problem,
        device_class: "problem",
        state_topic: topic,
        value_template: "{{ value_json.problem }}",
      },
      // Not an enum: there may be more severities later.
      alerts_severity: {
        platform: "sensor",
        name: names.alerts_severity,
        icon: "mdi:alert",
        state_topic: topic,
        value_template: "{{ value_json.severity }}",
      },
    },
  };
}

export function alertsState(rule: PublishRule, { profile, open, asOf }: AlertsDevice): Publication {
  const bySeverity = SEVERITIES.flatMap((severity) =>
    open.filter((alert) => severityOf({ severity: alert.severity }) === severity),
  );
  const state = {
    asOf: new Date(asOf).toISOString(),
    open: open.length,
    problem: open.length > 0 ? "ON" : "OFF",
    severity: bySeverity[0]?.severity ?? "none",
    alerts: attributes(bySeverity),
  };
  return { topic: alertsTopic(rule, profile.siteId, "state"), payload: JSON.stringify(state), retain: false };
}

/** A change as an event. It is published once: Home Assistant would take a repetition for another change. */
export function alertEvent(
  rule: PublishRule,
  { siteId, change, alert }: Extract<AlertUpdate, { change: string }>,
): Publication {
  const { alertKey, ...shown } = shownAlert(alert);
  const event: Record<string, string> = { event_type: change, alertKey: stateText(alertKey), ...shown };
  for (const field of EVENT_FIELDS) {
    const text = firstText({ siteId, ...alert.alert }, [field]);
    if (text !== undefined) event[field] = stateText(text);
  }
  return { topic: alertsTopic(rule, siteId, "event"), payload: JSON.stringify(event), retain: false };
}

/** As many as there is room for. */
function attributes(alerts: readonly ShownAlert[]): ShownAlert[] {
  const list: ShownAlert[] = [];
  let bytes = 0;
  for (const alert of alerts.slice(0, MAX_LISTED)) {
    const short = { ...alert, alertKey: stateText(alert.alertKey) };
    bytes += Buffer.byteLength(JSON.stringify(short));
    if (bytes > MAX_LISTED_BYTES) break;
    list.push(short);
  }
  return list;
}

/** PREFIX/alerts has a level less than the topics of any site. */
function alertsTopic({ prefix }: PublishRule, siteId: string | undefined, last: "state" | "event"): string {
  return `${siteId === undefined ? prefix : seriesTopic(prefix, { siteId })}/alerts/${last}`;
}
