// Registers threshold in the editor.
import { THRESHOLD } from "./settings";
import { shownText } from "../../src/shown-text";
import { properties } from "../shared/editor/settings/defaults";
import { prepareFolds } from "../shared/editor/dialog/fold";
import { paletteNode } from "../shared/editor/palette-node";
import { property } from "../shared/editor/settings/validators";
import { plausible } from "./plausible-summary.editor";

/** Characters of a limit in the label. */
const LONGEST = 16;

const isFilled = (limit: unknown): boolean => limit !== undefined && limit !== null && limit !== "";

RED.nodes.registerType("energy-threshold", {
  category: "energy sites",
  color: "#A9C46C",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-threshold.svg",
  outputs: 3,
  // Without a name, the label shows both limits.
  label() {
    const { low, high } = this;
    const limits = isFilled(low) && isFilled(high) ? `${shownLimit(low)} … ${shownLimit(high)}` : "";
    return this.name || limits || this._("label.palette");
  },
  outputLabels(index) {
    return [this._("output.high"), this._("output.low"), this._("output.unsafe")][index] ?? "";
  },
  defaults: properties(THRESHOLD, { property }),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    prepareFolds(this, { plausible });
  },
});

function shownLimit(limit: unknown): string {
  return shownText(String(limit), LONGEST);
}
