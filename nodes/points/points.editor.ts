// Registers points in the editor.
import { POINTS } from "./settings";
import { shownText } from "../../src/shown-text";
import { properties } from "../shared/editor/settings/defaults";
import { paletteNode } from "../shared/editor/palette-node";

RED.nodes.registerType("energy-points", {
  category: "energy sites",
  color: "#A9C46C",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-points.svg",
  outputs: 1,
  // Without a name, the label is the target.
  label() {
    const palette = this._("label.palette");
    const target = this["target"];
    return this.name || (typeof target === "string" ? `${palette} · ${shownText(target, 20)}` : palette);
  },
  outputLabels() {
    return this._("output.points");
  },
  defaults: properties(POINTS),
});
