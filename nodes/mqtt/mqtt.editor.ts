// Registers mqtt readings in the editor.
import { MQTT } from "../../src/settings/table/mqtt";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { showTopic } from "./topic-preview.editor";

RED.nodes.registerType("energy-mqtt", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditsave: paletteNode.oneditsave,
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
