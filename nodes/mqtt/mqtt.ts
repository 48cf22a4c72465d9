// mqtt readings: records as messages for an mqtt out node, with discovery for Home Assistant.
import type { Node, NodeAPI } from "node-red";
import { startHandling } from "../shared/runtime/handling";
import { Publisher } from "./publisher";
import type { MqttDef } from "./rule";

export default function register(RED: NodeAPI): void {
  function MqttReadings(this: Node, config: MqttDef): void {
    RED.nodes.createNode(this, config);
    const publisher = new Publisher(RED, this, config);
    startHandling(RED, this, "mqtt", (message, send) => publisher.take(message, send), publisher);
  }

  RED.nodes.registerType("energy-mqtt", MqttReadings);
}
