// Registers mqtt readings in the editor.
import { catalogueValues } from "../../src/shown-text";
import { MQTT } from "./settings";
import { properties } from "../shared/editor/settings/defaults";
import { currentValue, fieldOf } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/fold";
import { paletteNode } from "../shared/editor/palette-node";
import { showTopic } from "./topic-preview.editor";

RED.nodes.registerType("energy-mqtt", {
  category: "energy sites",
  color: "#A9C46C",
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
    prepareFolds(this, { homeAssistant });
  },
});

/** The folded settings in a few words. */
function homeAssistant(node: EditorNode): string {
  if (currentValue(node, "discovery") !== true) return node._("fold.noDiscovery");
  const prefix = String(currentValue(node, "discoveryPrefix"));
  const language = fieldOf(node, "language").find(":selected").text();
  return node._("fold.discovery", catalogueValues({ prefix, language }));
}
