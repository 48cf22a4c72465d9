// Registers mqtt readings in the editor.
import { MQTT } from "./settings";
import { currentValue, fieldOf, followFields } from "../shared/editor/dialog/fields";
import { shapingNode } from "../shared/editor/palette-node";
import { ownText } from "../shared/editor/texts";

/** The topic of a record, and the levels that layout `values` appends for one value. */
const LIVE = "SITE/SYSTEM/live";
const VALUE = "/storage/stateOfCharge";

const node = shapingNode(MQTT, {
  outputs: ["messages"],
  added: () => ({ language: ownLanguage() }),
  prepare: previewTopic,
  folds: { homeAssistant },
});

RED.nodes.registerType("energy-mqtt", {
  color: "#A9C46C",
  icon: "energy-mqtt.svg",
  outputs: 1,
  ...node,
});

/** That of the editor, or English. */
function ownLanguage(): string {
  const lang = RED.i18n.lang();
  return MQTT.language.choices.map(String).find((choice) => lang.startsWith(choice)) ?? "en";
}

/** Shows the topic of the readings while the prefix is typed. */
function previewTopic(one: EditorNode): void {
  followFields(one, () => {
    const prefix = String(currentValue(one, "prefix")) || "PREFIX";
    const value = currentValue(one, "layout") === "values" ? VALUE : "";
    const topic = `${prefix}/${LIVE}${value}`;
    $("#energy-mqtt-topic").text(ownText(one, "hint.topic", { topic }));
  });
}

/** The folded settings in a few words. */
function homeAssistant(one: EditorNode): string {
  if (currentValue(one, "discovery") !== true) return one._("fold.noDiscovery");
  const prefix = String(currentValue(one, "discoveryPrefix"));
  const language = fieldOf(one, "language").find(":selected").text();
  return ownText(one, "fold.discovery", { prefix, language });
}
