// Reads the settings of an mqtt readings node.
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { PublishRule } from "../../src/mqtt/publications";
import type { StoredSettings } from "../../src/settings/setting";
import { MQTT } from "./settings";
import { readSettings } from "../shared/runtime/base/settings";

export type MqttDef = NodeDef & StoredSettings<typeof MQTT>;

/** Throws ConfigError. */
export function publishRule(RED: NodeAPI, node: Node, config: MqttDef): PublishRule {
  const settings = readSettings(RED, node, MQTT, config);
  const { prefix, layout, qos, retain, discovery, discoveryPrefix, language, expireAfter } = settings;
  return {
    prefix,
    layout,
    qos,
    retain,
    discovery,
    discoveryPrefix,
    language,
    expireAfter: expireAfter * 1000,
  };
}
