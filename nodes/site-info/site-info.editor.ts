// Registers site info in the editor.
import { SITE_INFO } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, oneSite } from "../shared/editor/settings/validators";
import { siteNode } from "../shared/editor/site-node";
import { sharedText } from "../shared/editor/texts";

RED.nodes.registerType("energy-site-info", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText("title.siteDetails"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: siteNode.onadd,
  oneditprepare: siteNode.oneditprepare,
  oneditsave: siteNode.oneditsave,
  icon: "energy-site.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.site");
  },
  button: runButton(hasSite),
  defaults: properties(SITE_INFO, { account, siteId: oneSite }),
});
