// Registers points in the editor.
import { POINTS } from "../../src/settings/table/points";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";

RED.nodes.registerType("energy-points", {
  ...paletteNode,
  icon: "energy-points.svg",
  outputs: 1,
  // Without a name, the target of the points.
  label() {
    const palette = this._("label.palette");
    const target = this["target"];
    return this.name || (typeof target === "string" ? `${palette} · ${target}` : palette);
  },
  outputLabels() {
    return this._("output.points");
  },
  defaults: properties(POINTS),
});
