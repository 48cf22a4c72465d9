// Registers alerts in the editor.
import { ACCOUNT, NAME, schedule, site } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { onlyWhen, oneSite } from "../shared/editor/validators";
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
  defaults: {
    ...NAME,
    ...ACCOUNT,
    scope: { value: "account" },
    ...site(onlyWhen("scope", "site", oneSite)),
    ...schedule(0, false),
    output: { value: "list" },
    firstRun: { value: "all" },
    severities: { value: [] },
    otherSeverities: { value: true },
  },
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    showSeverities(this);
  },
  oneditsave() {
    paletteNode.oneditsave.call(this);
    saveSeverities(this);
  },
});
