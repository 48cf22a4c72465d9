// Previews the topic of the readings while the prefix is typed.
import { catalogueValues } from "../../src/shown-text";
import { currentValue, fieldOf } from "../shared/editor/dialog/fields";

/** The topic of a record, and the levels that layout `values` appends for one value. */
const LIVE = "SITE/SYSTEM/live";
const VALUE = "/storage/stateOfCharge";

export function showTopic(node: EditorNode): void {
  const update = (): void => {
    const prefix = String(currentValue(node, "prefix")) || "PREFIX";
    const value = currentValue(node, "layout") === "values" ? VALUE : "";
    $("#energy-mqtt-topic").text(mqttText("hint.topic", { topic: `${prefix}/${LIVE}${value}` }));
  };
  fieldOf(node, "prefix").on("input change", update);
  fieldOf(node, "layout").on("change", update);
  update();
}

/** A text from this node's own catalogue. */
function mqttText(key: string, values: Record<string, string>): string {
  return RED._(`@energy-sites/node-red/mqtt:${key}`, catalogueValues(values));
}
