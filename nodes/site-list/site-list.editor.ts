// Registers site list in the editor.
import { ACCOUNT, NAME, schedule } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";

RED.nodes.registerType("energy-site-list", {
  ...paletteNode,
  icon: "energy-sites.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.sites");
  },
  defaults: { ...NAME, ...ACCOUNT, output: { value: "list" }, ...schedule(0, false) },
});
