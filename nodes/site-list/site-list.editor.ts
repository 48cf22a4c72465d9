// Registers site list in the editor.
import { SITE_LIST } from "../../src/settings/table/site-list";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account } from "../shared/editor/validators";

RED.nodes.registerType("energy-site-list", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-sites.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.sites");
  },
  defaults: properties(SITE_LIST, { account }),
});
