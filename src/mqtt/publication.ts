// An MQTT message, and the settings that decide what is published and how.

/** One MQTT message. An empty payload with `retain` removes a retained message from the broker. */
export interface Publication {
  topic: string;
  payload: string;
  retain: boolean;
}

/** Of the names of entities in Home Assistant. */
export type Language = "en" | "de" | "fr" | "es" | "ja" | "zh-CN";

/** One message per record, or one per number in it. */
type Layout = "json" | "values";

export interface PublishRule {
  prefix: string;
  layout: Layout;
  /** Whether Home Assistant discovers the devices. */
  discovery: boolean;
  discoveryPrefix: string;
  language: Language;
  /** Maximum age of a record that counts as current, in milliseconds. */
  expireAfter: number;
  retain: boolean;
  qos: 0 | 1 | 2;
}
