// What is published, and the settings that decide how.

/** One MQTT message. An empty payload with `retain` removes a retained message from the broker. */
export interface Publication {
  topic: string;
  payload: string;
  retain: boolean;
}

/** A message for each record, or one for each of its numbers. */
type Layout = "json" | "values";

export interface PublishRule {
  prefix: string;
  layout: Layout;
  /** Whether Home Assistant discovers the devices. */
  discovery: boolean;
  discoveryPrefix: string;
  /** The maximum age of a record that shows the present state, in milliseconds. */
  expireAfter: number;
  retain: boolean;
  qos: 0 | 1 | 2;
}
