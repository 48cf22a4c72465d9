// Reads the choices of an mqtt readings node from its properties.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { InputError } from "../../src/client/errors";
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

/** Throws InputError for a choice that cannot be. */
export function publishRule(RED: NodeAPI, node: Node, config: MqttDef): PublishRule {
  const { prefix = "energy", discoveryPrefix = "homeassistant", layout = "json" } = config;
  if (layout !== "json" && layout !== "values")
    throw new InputError(`Unknown layout ${layout}: choose json or values`);
  const seconds = numberSetting(config.expireAfter, {
    label: "Expires after (seconds)",
    fallback: 1800,
    min: 1,
  });
  const qos = numberSetting(config.qos, { label: "QoS", fallback: 1 });
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new InputError("QoS must be 0, 1 or 2");
  return {
    prefix: topicPrefix(resolveText(RED, node, prefix), "The topic prefix"),
    layout,
    discovery: config.discovery !== false,
    discoveryPrefix: topicPrefix(resolveText(RED, node, discoveryPrefix), "The discovery prefix"),
    expireAfter: seconds * 1000,
    retain: config.retain === true,
    qos,
  };
}
