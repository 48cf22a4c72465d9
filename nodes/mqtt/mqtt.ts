// mqtt readings: records as messages for an mqtt out node, with Home Assistant discovery.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { readSettings } from "../shared/runtime/base/settings";
import { InputHandler } from "./input-handler";
import { MQTT } from "./settings";

export default function register(RED: NodeAPI): void {
  function MqttReadings(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, MQTT, config);
    const handler = new InputHandler(RED, this, settings, () => lifecycle.run(handler.onTimeout));
    const lifecycle = startLifecycle(RED, this, {
      kind: "mqtt",
      confirmsNothing: true,
      work: (input) => handler.handle(input),
      start: handler.start,
      stop: handler.stop,
      close: handler.close,
    });
  }

  RED.nodes.registerType("energy-mqtt", MqttReadings);
}
