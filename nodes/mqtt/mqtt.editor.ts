// Registers mqtt readings in the editor.
import { MQTT } from "../../src/settings/table/mqtt";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { showTopic } from "./topic-preview.editor";

RED.nodes.registerType("energy-mqtt", {
  ...paletteNode,
  icon: "energy-mqtt.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.messages");
  },
  defaults: properties(MQTT),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    showTopic(this);
  },
});
