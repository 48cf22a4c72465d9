// Settings of mqtt readings.
import { LANGUAGES } from "../../src/mqtt/publications";
import { choice, inUseWhen, number, type Settings, text } from "../../src/settings/table";
import { topicPrefixFault } from "../../src/settings/rules";
import { NAMED, WEEK_IN_MINUTES } from "../shared/settings";

const TOPIC_PREFIX = { variables: true, check: topicPrefixFault } as const;

export const MQTT = {
  ...NAMED,
  prefix: text("mqtt:label.prefix", { ...TOPIC_PREFIX, default: "energy" }),
  layout: choice("mqtt:label.layout", ["json", "values"]),
  qos: { ...choice("mqtt:label.qos", [0, 1, 2]), default: 1 },
  retain: { kind: "boolean", default: false },
  discovery: { kind: "boolean", default: true },
  ...inUseWhen(
    { discovery: true },
    {
      discoveryPrefix: text("mqtt:label.discoveryPrefix", { ...TOPIC_PREFIX, default: "homeassistant" }),
      /** Of the names in Home Assistant. */
      language: choice("mqtt:label.language", LANGUAGES),
    },
  ),
  expireAfter: number("mqtt:label.expireAfter", {
    unit: "seconds",
    default: 1800,
    min: 0.6,
    max: WEEK_IN_MINUTES * 60,
  }),
} as const satisfies Settings;
