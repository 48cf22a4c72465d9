// Registers threshold in the editor.
import { shownText } from "../../src/shown-text";
import { THRESHOLD } from "./settings";
import { currentText } from "../shared/editor/dialog/fields";
import { shapingNode } from "../shared/editor/palette-node";
import { ownText } from "../shared/editor/texts";
import { prepareValues } from "./threshold-values.editor";

/** Characters of a limit in the label. */
const LONGEST = 16;

const node = shapingNode(THRESHOLD, {
  outputs: ["high", "low", "unsafe"],
  // Without a name, the label shows both limits.
  label: (one) => {
    const [low, high] = [shownLimit(one["low"]), shownLimit(one["high"])];
    return one.name || (low && high ? `${low} … ${high}` : one._("label.palette"));
  },
  prepare: prepareValues,
  folds: { plausible: (one) => `${plausibleText(one)} · ${repeatText(one)}` },
});

RED.nodes.registerType("energy-threshold", {
  color: "#A9C46C",
  icon: "energy-threshold.svg",
  outputs: 3,
  ...node,
});

function shownLimit(limit: unknown): string {
  return typeof limit === "string" || typeof limit === "number" ? shownText(String(limit), LONGEST) : "";
}

function plausibleText(one: EditorNode): string {
  const bounds = { min: currentText(one, "min"), max: currentText(one, "max") };
  if (bounds.min) return ownText(one, bounds.max ? "fold.between" : "fold.atLeast", bounds);
  return ownText(one, bounds.max ? "fold.atMost" : "fold.any", bounds);
}

/** Whether the state is sent again. */
function repeatText(one: EditorNode): string {
  const minutes = currentText(one, "repeat");
  return Number(minutes) === 0 ? one._("fold.notRepeated") : ownText(one, "fold.repeated", { minutes });
}
