// What goes to the broker, and the choices it is made by.

/** One MQTT message. An empty payload with `retain` takes a retained message off the broker. */
export interface Publication {
  topic: string;
  payload: string;
  retain: boolean;
}

/** Each record as one message, or each of its measurements. */
type Layout = "json" | "values";

export interface PublishRule {
  prefix: string;
  layout: Layout;
  /** Whether Home Assistant is told of the devices. */
  discovery: boolean;
  discoveryPrefix: string;
  /** How old the present state may be, in milliseconds. */
  expireAfter: number;
  retain: boolean;
  qos: 0 | 1 | 2;
}
