// Shows, while the prefix is typed, which topics the readings will have.
import { currentValue, fieldOf } from "../shared/editor/fields";

/** What a record is published under, and in the layout with a message for each value, one of its values. */
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

/** A text of this node's own catalogue. */
function mqttText(key: string, values: Record<string, string>): string {
  return RED._(`@energy-sites/node-red/mqtt:${key}`, values);
}
