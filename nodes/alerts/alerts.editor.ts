// Registers alerts in the editor.
import { ALERTS } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { allSites, title } from "../shared/editor/canvas/title";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, oneSite } from "../shared/editor/settings/validators";
import { siteNode } from "../shared/editor/site-node";
import { sharedText } from "../shared/editor/texts";
import { saveSeverities, showSeverities } from "./severity-choice.editor";

RED.nodes.registerType("energy-alerts", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    const what = sharedText(this["output"] === "changes" ? "title.alertChanges" : "title.alerts");
    return this["scope"] === "site" ? title(this, what) : title(this, what, allSites());
  },
  labelStyle: paletteNode.labelStyle,
  onadd: siteNode.onadd,
  icon: "energy-alert.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.alerts");
  },
  button: runButton((node) => node["scope"] !== "site" || hasSite(node)),
  defaults: properties(ALERTS, { account, siteId: oneSite }),
  oneditprepare() {
    siteNode.oneditprepare.call(this);
    showSeverities(this);
  },
  oneditsave() {
    siteNode.oneditsave.call(this);
    saveSeverities(this);
  },
});
