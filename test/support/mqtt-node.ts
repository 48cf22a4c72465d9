// Runs an mqtt readings node and collects the messages for mqtt out.
import type { NodeMessage } from "node-red";
import type { MqttMessage } from "../../src/messages/messages";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { MINUTE } from "../../src/time-units";
import { type NodeOptions, type NodeUnderTest, startNode } from "./flow";

export interface MqttNode extends NodeUnderTest {
  /** Sends the node a message; returns what the node sent until it was done. */
  process(message: NodeMessage): Promise<MqttMessage[]>;
  /** Sends the node a message that it must reject; returns code and text, and the number of messages it still sent. */
  rejection(message: NodeMessage): Promise<{ code: string; message: string; sent: number }>;
  /** What the node has sent since the last call. */
  newMessages(): MqttMessage[];
}

export async function startMqtt(
  properties: Record<string, unknown> = {},
  options: NodeOptions = {},
): Promise<MqttNode> {
  const node = await startNode("energy-mqtt", properties, { account: null, ...options });
  let seen = 0;
  const newMessages = (): MqttMessage[] => {
    const all = node.sent<MqttMessage>();
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh;
  };
  return {
    ...node,
    newMessages,
    async process(message) {
      node.input(message);
      await node.completed();
      return newMessages();
    },
    async rejection(message) {
      node.input(message);
      const { error, energy } = await node.caught();
      return { code: energy.error.code, message: error.message, sent: newMessages().length };
    },
  };
}

/** A 5-minute record that ends at `end`. */
export function recordAt(end: number, groups: Partial<TelemetryRecord> = {}): TelemetryRecord {
  return {
    startTime: new Date(end - 5 * MINUTE).toISOString(),
    endTime: new Date(end).toISOString(),
    grid: { power: 120.5, lifetimeImportedEnergy: 5000, connectivityStatus: null },
    solar: null,
    ...groups,
  };
}

/** A message as sent by telemetry poll. */
export function telemetry(record: object, energy: object = {}, rest: object = {}): NodeMessage {
  return {
    payload: record,
    topic: "home/a",
    siteId: "home",
    systemId: "a",
    energy: { kind: "telemetry", phase: "live", recordId: "id", cursor: "c", ...energy },
    ...rest,
  };
}

/** The payload under a topic, parsed as JSON. */
export function payloadUnder(messages: MqttMessage[], topic: string): unknown {
  const found = messages.find((message) => message.topic === topic);
  return found && JSON.parse(found.payload);
}

export const topics = (messages: MqttMessage[]): string[] => messages.map(({ topic }) => topic);
