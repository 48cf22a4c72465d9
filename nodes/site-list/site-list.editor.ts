// Registers site list in the editor.
import { SITE_LIST } from "./settings";
import { accountNode } from "../shared/editor/account-node";
import { runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account } from "../shared/editor/settings/validators";
import { sharedText } from "../shared/editor/texts";

const TITLES: Record<string, string> = {
  sites: "title.eachSite",
  systems: "title.eachSystem",
};

RED.nodes.registerType("energy-site-list", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText(TITLES[String(this["output"])] ?? "title.siteList"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: accountNode.onadd,
  oneditprepare: accountNode.oneditprepare,
  oneditsave: accountNode.oneditsave,
  icon: "energy-sites.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.sites");
  },
  button: runButton(),
  defaults: properties(SITE_LIST, { account }),
});
