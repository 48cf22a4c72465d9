// Registers alerts in the editor.
import { ALERTS } from "../../src/settings/table/alerts";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, oneSite } from "../shared/editor/validators";
import { saveSeverities, showSeverities } from "./severity-choice.editor";

RED.nodes.registerType("energy-alerts", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  icon: "energy-alert.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.alerts");
  },
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
