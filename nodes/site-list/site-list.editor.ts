// Registers site list in the editor.
import { SITE_LIST } from "../../src/settings/table/site-list";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account } from "../shared/editor/validators";

RED.nodes.registerType("energy-site-list", {
  ...paletteNode,
  icon: "energy-sites.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.sites");
  },
  defaults: properties(SITE_LIST, { account }),
});
