// Registers alerts in the editor.
import { ALERTS } from "../../src/settings/table/alerts";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, oneSite } from "../shared/editor/validators";
import { saveSeverities, showSeverities } from "./severity-choice.editor";

RED.nodes.registerType("energy-alerts", {
  ...paletteNode,
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
