// mqtt readings: records as messages for an mqtt out node, with discovery for Home Assistant.
import type { Node, NodeAPI } from "node-red";
import { startLifecycle } from "../shared/runtime/lifecycle";
import { Publisher } from "./publisher";
import type { MqttDef } from "./rule";

export default function register(RED: NodeAPI): void {
  function MqttReadings(this: Node, config: MqttDef): void {
    RED.nodes.createNode(this, config);
    const publisher = new Publisher(RED, this, config, () => lifecycle.run(publisher.onTimeout));
    const lifecycle = startLifecycle(RED, this, {
      kind: "mqtt",
      work: ({ message, send }) => publisher.take(message, send),
      start: publisher.start,
      stop: publisher.stop,
      close: publisher.close,
    });
  }

  RED.nodes.registerType("energy-mqtt", MqttReadings);
}
