// Registers site list in the editor.
import { SITE_LIST } from "../../src/settings/table/site-list";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account } from "../shared/editor/validators";
import { runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { title } from "../shared/editor/title";

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
  onadd: takeAccount,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-sites.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.sites");
  },
  button: runButton(),
  defaults: properties(SITE_LIST, { account }),
});
