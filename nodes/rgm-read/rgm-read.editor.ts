// Registers rgm read in the editor.
import { RGM_READ } from "../../src/settings/table/rgm-read";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, anySite, anySystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-rgm-read", {
  ...paletteNode,
  icon: "energy-meter.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.records");
  },
  defaults: properties(RGM_READ, { account, siteId: anySite, systemId: anySystem }),
});
