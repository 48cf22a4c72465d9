// Registers site info in the editor.
import { SITE_INFO } from "../../src/settings/table/site-info";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, oneSite } from "../shared/editor/validators";

RED.nodes.registerType("energy-site-info", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-site.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.site");
  },
  defaults: properties(SITE_INFO, { account, siteId: oneSite }),
});
