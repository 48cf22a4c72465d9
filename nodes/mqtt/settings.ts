// Settings of mqtt readings.
import type { Settings } from "../../src/settings/kinds";
import { topicPrefixFault } from "../../src/settings/rules";
import { NAMED, WEEK_IN_MINUTES } from "../shared/settings";

export const MQTT = {
  ...NAMED,
  prefix: {
    kind: "text",
    label: "mqtt:label.prefix",
    default: "energy",
    variables: true,
    check: topicPrefixFault,
  },
  layout: { kind: "choice", label: "mqtt:label.layout", choices: ["json", "values"], default: "json" },
  qos: { kind: "choice", label: "mqtt:label.qos", choices: [0, 1, 2], default: 1 },
  retain: { kind: "boolean", default: false },
  discovery: { kind: "boolean", default: true },
  discoveryPrefix: {
    kind: "text",
    label: "mqtt:label.discoveryPrefix",
    default: "homeassistant",
    variables: true,
    check: topicPrefixFault,
    when: { discovery: true },
  },
  /** Of the names in Home Assistant. */
  language: {
    kind: "choice",
    label: "mqtt:label.language",
    choices: ["en", "de", "fr", "es", "ja", "zh-CN"],
    default: "en",
    when: { discovery: true },
  },
  expireAfter: {
    kind: "number",
    label: "mqtt:label.expireAfter",
    unit: "seconds",
    default: 1800,
    min: 1,
    max: WEEK_IN_MINUTES * 60,
  },
} as const satisfies Settings;
