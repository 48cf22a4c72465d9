// Registers site info in the editor.
import { SITE_INFO } from "./settings";
import { hasSite, runButton, titled } from "../shared/editor/canvas";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, oneSite, properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-site-info", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-site.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(SITE_INFO, { account, siteId: oneSite }),
  paletteLabel: paletteNode.paletteLabel,
  label: titled(),
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("site"),
  button: runButton(hasSite),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
  },
  oneditsave: paletteNode.oneditsave,
});
