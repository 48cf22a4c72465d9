// mqtt readings: records as messages for an mqtt out node, with Home Assistant discovery.
import type { Node, NodeAPI } from "node-red";
import { startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { InputHandler } from "./input-handler";
import type { MqttDef } from "./rule";

export default function register(RED: NodeAPI): void {
  function MqttReadings(this: Node, config: MqttDef): void {
    RED.nodes.createNode(this, config);
    const handler = new InputHandler(RED, this, config, () => lifecycle.run(handler.onTimeout));
    const lifecycle = startLifecycle(RED, this, {
      kind: "mqtt",
      work: ({ message, send }) => handler.handle(message, send),
      start: handler.start,
      stop: handler.stop,
      close: handler.close,
    });
  }

  RED.nodes.registerType("energy-mqtt", MqttReadings);
}
