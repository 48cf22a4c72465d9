// mqtt readings: records as messages for an mqtt out node, with Home Assistant discovery.
import type { Node, NodeAPI } from "node-red";
import { startHandling } from "../shared/runtime/handling";
import { InputHandler } from "./input-handler";
import type { MqttDef } from "./rule";

export default function register(RED: NodeAPI): void {
  function MqttReadings(this: Node, config: MqttDef): void {
    RED.nodes.createNode(this, config);
    const handler = new InputHandler(RED, this, config);
    startHandling(RED, this, "mqtt", (message, send) => handler.handle(message, send), handler);
  }

  RED.nodes.registerType("energy-mqtt", MqttReadings);
}
