// Registers threshold in the editor.
import { catalogueValues, shownText } from "../../src/shown-text";
import { THRESHOLD } from "./settings";
import { addDiagnostics } from "../shared/editor/diagnostics";
import { currentText } from "../shared/editor/dialog/fields";
import { shapingNode } from "../shared/editor/palette-node";
import { preparePreview } from "./threshold-preview.editor";
import { prepareValues, showLastValues } from "./threshold-values.editor";

/** Characters of a limit in the label. */
const LONGEST = 16;

const node = shapingNode(THRESHOLD, {
  outputs: ["high", "low", "unsafe"],
  // Without a name, the label shows both limits.
  label: (one) => {
    const [low, high] = [shownLimit(one["low"]), shownLimit(one["high"])];
    return one.name || (low && high ? `${low} … ${high}` : one._("label.palette"));
  },
  prepare(one) {
    addDiagnostics(one);
    prepareValues(one);
    showLastValues(one);
    preparePreview(one);
  },
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
  const { min = "", max = "" } = catalogueValues({
    min: currentText(one, "min"),
    max: currentText(one, "max"),
  });
  if (min && max) return one._("fold.between", { min, max });
  if (min) return one._("fold.atLeast", { min });
  return max ? one._("fold.atMost", { max }) : one._("fold.any");
}

/** Whether the state is sent again. */
function repeatText(one: EditorNode): string {
  const minutes = currentText(one, "repeat");
  return Number(minutes) === 0
    ? one._("fold.notRepeated")
    : one._("fold.repeated", catalogueValues({ minutes }));
}
