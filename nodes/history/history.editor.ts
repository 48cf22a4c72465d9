// Registers history in the editor.
import { HISTORY } from "../../src/settings/table/history";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, oneSite, oneSystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-history", {
  ...paletteNode,
  icon: "energy-history.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.progress");
  },
  defaults: properties(HISTORY, { account, siteId: oneSite, systemId: oneSystem }),
});
