// Registers site list in the editor.
import { SITE_LIST } from "./settings";
import { runButton, titled } from "../shared/editor/canvas";
import { outputLabels, paletteNode, prepareAccountNode } from "../shared/editor/palette-node";
import { account, properties } from "../shared/editor/settings";

const TITLES: Record<string, string> = { sites: "title.eachSite", systems: "title.eachSystem" };

RED.nodes.registerType("energy-site-list", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-sites.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(SITE_LIST, { account }),
  paletteLabel: paletteNode.paletteLabel,
  label: titled(({ output }) => TITLES[String(output)]),
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("sites"),
  button: runButton(),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareAccountNode(this);
  },
  oneditsave: paletteNode.oneditsave,
});
