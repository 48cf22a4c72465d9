// Registers alerts in the editor.
import { ALERTS } from "../../src/settings/table/alerts";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, oneSite } from "../shared/editor/validators";
import { saveSeverities, showSeverities } from "./severity-choice.editor";
import { hasSite, runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { allSites, title } from "../shared/editor/title";

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
  onadd: takeAccount,
  icon: "energy-alert.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.alerts");
  },
  button: runButton((node) => node["scope"] !== "site" || hasSite(node)),
  defaults: properties(ALERTS, { account, siteId: oneSite }),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    showSeverities(this);
  },
  oneditsave() {
    paletteNode.oneditsave.call(this);
    saveSeverities(this);
  },
});
