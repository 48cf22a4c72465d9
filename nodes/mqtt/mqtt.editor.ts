// Registers mqtt readings in the editor.
import { catalogueValues } from "../../src/shown-text";
import { MQTT } from "./settings";
import { currentValue, fieldOf } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/folds";
import { isFresh } from "../shared/editor/new-nodes";
import { outputLabels, paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings";

/** The topic of a record, and the levels that layout `values` appends for one value. */
const LIVE = "SITE/SYSTEM/live";
const VALUE = "/storage/stateOfCharge";

RED.nodes.registerType("energy-mqtt", {
  category: "energy sites",
  color: "#A9C46C",
  icon: "energy-mqtt.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(MQTT),
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("messages"),
  onadd() {
    paletteNode.onadd.call(this);
    if (isFresh(this)) this["language"] = ownLanguage();
  },
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    previewTopic(this);
    prepareFolds(this, { homeAssistant });
  },
  oneditsave: paletteNode.oneditsave,
});

/** That of the editor, or English. */
function ownLanguage(): string {
  const lang = RED.i18n.lang();
  return MQTT.language.choices.map(String).find((choice) => lang.startsWith(choice)) ?? "en";
}

/** Shows the topic of the readings while the prefix is typed. */
function previewTopic(node: EditorNode): void {
  const update = (): void => {
    const prefix = String(currentValue(node, "prefix")) || "PREFIX";
    const value = currentValue(node, "layout") === "values" ? VALUE : "";
    const topic = catalogueValues({ topic: `${prefix}/${LIVE}${value}` });
    $("#energy-mqtt-topic").text(node._("hint.topic", topic));
  };
  fieldOf(node, "prefix").on("input change", update);
  fieldOf(node, "layout").on("change", update);
  update();
}

/** The folded settings in a few words. */
function homeAssistant(node: EditorNode): string {
  if (currentValue(node, "discovery") !== true) return node._("fold.noDiscovery");
  const prefix = String(currentValue(node, "discoveryPrefix"));
  const language = fieldOf(node, "language").find(":selected").text();
  return node._("fold.discovery", catalogueValues({ prefix, language }));
}
