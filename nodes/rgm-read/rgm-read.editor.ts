// Registers rgm read in the editor.
import { RGM_READ } from "../../src/settings/table/rgm-read";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, anySite, anySystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-rgm-read", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-meter.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.records");
  },
  defaults: properties(RGM_READ, { account, siteId: anySite, systemId: anySystem }),
});
