// Registers site info in the editor.
import { SITE_INFO } from "../../src/settings/table/site-info";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, oneSite } from "../shared/editor/validators";
import { hasSite, runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { title } from "../shared/editor/title";

RED.nodes.registerType("energy-site-info", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText("title.siteDetails"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: takeAccount,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-site.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.site");
  },
  button: runButton(hasSite),
  defaults: properties(SITE_INFO, { account, siteId: oneSite }),
});
