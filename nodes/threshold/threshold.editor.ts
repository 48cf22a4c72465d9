// Registers threshold in the editor.
import { catalogueValues, shownText } from "../../src/shown-text";
import { THRESHOLD } from "./settings";
import { addDiagnostics } from "../shared/editor/diagnostics";
import { currentText } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/folds";
import { outputLabels, paletteNode } from "../shared/editor/palette-node";
import { properties, property } from "../shared/editor/settings";
import { preparePreview } from "./threshold-preview.editor";
import { prepareValues, showLastValues } from "./threshold-values.editor";

/** Characters of a limit in the label. */
const LONGEST = 16;

RED.nodes.registerType("energy-threshold", {
  category: "energy sites",
  color: "#A9C46C",
  icon: "energy-threshold.svg",
  inputs: 1,
  outputs: 3,
  defaults: properties(THRESHOLD, { property }),
  paletteLabel: paletteNode.paletteLabel,
  // Without a name, the label shows both limits.
  label() {
    const [low, high] = [shownLimit(this["low"]), shownLimit(this["high"])];
    return this.name || (low && high ? `${low} … ${high}` : this._("label.palette"));
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("high", "low", "unsafe"),
  onadd: paletteNode.onadd,
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    addDiagnostics(this);
    prepareValues(this);
    showLastValues(this);
    preparePreview(this);
    prepareFolds(this, { plausible: (node) => `${plausibleText(node)} · ${repeatText(node)}` });
  },
  oneditsave: paletteNode.oneditsave,
});

function shownLimit(limit: unknown): string {
  return typeof limit === "string" || typeof limit === "number" ? shownText(String(limit), LONGEST) : "";
}

function plausibleText(node: EditorNode): string {
  const { min = "", max = "" } = catalogueValues({
    min: currentText(node, "min"),
    max: currentText(node, "max"),
  });
  if (min && max) return node._("fold.between", { min, max });
  if (min) return node._("fold.atLeast", { min });
  return max ? node._("fold.atMost", { max }) : node._("fold.any");
}

/** Whether the state is sent again. */
function repeatText(node: EditorNode): string {
  const minutes = currentText(node, "repeat");
  return Number(minutes) === 0
    ? node._("fold.notRepeated")
    : node._("fold.repeated", catalogueValues({ minutes }));
}
