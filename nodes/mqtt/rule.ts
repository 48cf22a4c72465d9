// Reads the settings of an mqtt readings node from its properties.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { ConfigError } from "../../src/errors";
import type { PublishRule } from "../../src/mqtt/publication";
import { topicPrefix } from "../../src/mqtt/topics";
import { numberSetting, resolveText } from "../shared/runtime/settings";

export interface MqttDef extends NodeDef {
  prefix?: string;
  layout?: string;
  discovery?: boolean;
  discoveryPrefix?: string;
  expireAfter?: number | string;
  retain?: boolean;
  qos?: number | string;
}

/** Throws ConfigError for a setting that is not valid. */
export function publishRule(RED: NodeAPI, node: Node, config: MqttDef): PublishRule {
  const { prefix = "energy", discoveryPrefix = "homeassistant", layout = "json" } = config;
  if (layout !== "json" && layout !== "values")
    throw new ConfigError("settingChoice", { label: "layout", value: layout, choices: "json, values" });
  const qos = numberSetting(config.qos, { label: "QoS", fallback: 1 });
  if (qos !== 0 && qos !== 1 && qos !== 2)
    throw new ConfigError("settingChoice", { label: "QoS", value: qos, choices: "0, 1, 2" });
  const discovery = config.discovery !== false;
  const prefixFrom = (text: string, label: string): string =>
    topicPrefix(resolveText(RED, node, text), label);
  const expiry = { label: "Expires after (seconds)", fallback: 1800, min: 1 };
  return {
    prefix: prefixFrom(prefix, "The topic prefix"),
    layout,
    discovery,
    // A setting that the dialog hides must not fail.
    discoveryPrefix: discovery ? prefixFrom(discoveryPrefix, "The discovery prefix") : discoveryPrefix,
    expireAfter: numberSetting(discovery ? config.expireAfter : undefined, expiry) * 1000,
    retain: config.retain === true,
    qos,
  };
}
