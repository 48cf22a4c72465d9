// Registers threshold in the editor.
import { THRESHOLD } from "../../src/settings/table/threshold";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { property } from "../shared/editor/validators";

const isFilled = (limit: unknown): boolean => limit !== undefined && limit !== null && limit !== "";

RED.nodes.registerType("energy-threshold", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-threshold.svg",
  outputs: 3,
  // Without a name, the label shows both limits.
  label() {
    const { low, high } = this;
    const limits = isFilled(low) && isFilled(high) ? `${String(low)} … ${String(high)}` : "";
    return this.name || limits || this._("label.palette");
  },
  outputLabels(index) {
    return [this._("output.high"), this._("output.low"), this._("output.unsafe")][index] ?? "";
  },
  defaults: properties(THRESHOLD, { property }),
});
