// Registers points in the editor.
import { shownText } from "../../src/shown-text";
import { POINTS } from "./settings";
import { outputLabels, paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-points", {
  category: "energy sites",
  color: "#A9C46C",
  icon: "energy-points.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(POINTS),
  paletteLabel: paletteNode.paletteLabel,
  // Without a name, the label is the target.
  label() {
    const palette = this._("label.palette");
    const target = this["target"];
    return this.name || (typeof target === "string" ? `${palette} · ${shownText(target, 20)}` : palette);
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("points"),
  onadd: paletteNode.onadd,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
});
