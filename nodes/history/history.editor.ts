// Registers history in the editor.
import { HISTORY } from "../../src/settings/table/history";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, oneSite, oneSystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-history", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-history.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.progress");
  },
  defaults: properties(HISTORY, { account, siteId: oneSite, systemId: oneSystem }),
});
