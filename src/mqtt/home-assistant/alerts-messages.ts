// The alerts of a site, or of the account, as Home Assistant shows them: an event for each change, and what is open now.
import { ALERT_CHANGES, type AlertNews } from "../../messages/fact-reader";
import { firstText } from "../../models/service-object";
import type { Publication, PublishRule } from "../publications";
import { seriesTopic } from "../topics";
import type { Component, Discovery } from "./discovery-message";
import { NAMES } from "./names";
import { type AlertsFacet, alertsId, ownerId } from "./alerts-facet";
import { highestSeverity, type OpenAlert, SEVERITIES, titleOf } from "./open-alert";
import { cut } from "./discovery-message";

/** How many alerts the attributes list, and in how many bytes: Home Assistant stores no more than 16 KiB. */
const MAX_LISTED = 20;
const MAX_LISTED_BYTES = 12_000;

/** The fields of an alert that an event has as attributes, besides its title. */
const EVENT_FIELDS = ["siteId", "systemId", "deviceId"];

/** The same device as that of the site's readings, so that Home Assistant shows both on one page. */
export function alertsDiscovery(rule: PublishRule, { siteId, siteName }: AlertsFacet): Discovery {
  const names = NAMES[rule.language];
  return {
    messageId: alertsId(rule.prefix, siteId),
    deviceId: ownerId(rule.prefix, siteId),
    device: { name: siteId === undefined ? names.account : (siteName ?? siteId) },
    // They are polled on a schedule of their own: an attribute says how current they are.
    availabilityTopics: [],
    components: {
      alerts_event: {
        platform: "event",
        name: names.alerts_event,
        event_types: ALERT_CHANGES,
        icon: "mdi:bell-ring",
        state_topic: eventTopic(rule, siteId),
      },
      ...stateComponents(rule, siteId),
    },
  };
}

function stateComponents(rule: PublishRule, siteId: string | undefined): Record<string, Component> {
  const names = NAMES[rule.language];
  const topic = stateTopic(rule, siteId);
  return {
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
    // Not an enum: there may be more severities one day.
    alerts_severity: {
      platform: "sensor",
      name: names.alerts_severity,
      icon: "mdi:alert",
      state_topic: topic,
      value_template: "{{ value_json.severity }}",
    },
  };
}

export function alertsState(rule: PublishRule, { siteId, open, asOf }: AlertsFacet): Publication {
  const state = {
    asOf: new Date(asOf).toISOString(),
    open: open.length,
    problem: open.length > 0 ? "ON" : "OFF",
    severity: highestSeverity(open) ?? "none",
    alerts: attributes(open),
  };
  return { topic: stateTopic(rule, siteId), payload: JSON.stringify(state), retain: false };
}

/** A change as an event. It is published once: Home Assistant would take a repetition for another change. */
export function alertEvent(
  rule: PublishRule,
  { siteId, change, alert }: Extract<AlertNews, { change: string }>,
): Publication {
  const { alertKey, severity } = alert;
  const title = titleOf(alert);
  const fields = EVENT_FIELDS.flatMap((field) => {
    const text = firstText({ siteId, ...alert.alert }, [field]);
    return text === undefined ? [] : [[field, cut(text)]];
  });
  const event = {
    event_type: change,
    alertKey: cut(alertKey),
    severity,
    ...(title === undefined ? {} : { title }),
    ...Object.fromEntries(fields),
  };
  return { topic: eventTopic(rule, siteId), payload: JSON.stringify(event), retain: false };
}

/** The most severe alerts first. */
function attributes(open: readonly OpenAlert[]): OpenAlert[] {
  const bySeverity = SEVERITIES.flatMap((severity) => open.filter((alert) => alert.severity === severity));
  const list: OpenAlert[] = [];
  let bytes = 0;
  for (const alert of bySeverity.slice(0, MAX_LISTED)) {
    const short = { ...alert, alertKey: cut(alert.alertKey) };
    bytes += Buffer.byteLength(JSON.stringify(short));
    if (bytes > MAX_LISTED_BYTES) break;
    list.push(short);
  }
  return list;
}

/** PREFIX/alerts has a level less than the topics of any site. */
function alertsTopic({ prefix }: PublishRule, siteId: string | undefined): string {
  return `${siteId === undefined ? prefix : seriesTopic(prefix, { siteId })}/alerts`;
}

function stateTopic(rule: PublishRule, siteId: string | undefined): string {
  return `${alertsTopic(rule, siteId)}/state`;
}

function eventTopic(rule: PublishRule, siteId: string | undefined): string {
  return `${alertsTopic(rule, siteId)}/event`;
}
