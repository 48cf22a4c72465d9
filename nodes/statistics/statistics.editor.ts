// Registers statistics in the editor.
import { STATISTICS } from "./settings";
import { addDiagnostics } from "../shared/editor/diagnostics";
import { outputLabels, paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-statistics", {
  category: "energy sites",
  color: "#A9C46C",
  icon: "energy-statistics.svg",
  inputs: 1,
  outputs: 2,
  defaults: properties(STATISTICS),
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("commands", "written"),
  onadd: paletteNode.onadd,
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    addDiagnostics(this);
  },
  oneditsave: paletteNode.oneditsave,
});
