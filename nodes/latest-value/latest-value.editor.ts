// Registers latest value in the editor.
import { LATEST_VALUE } from "../../src/settings/table/latest-value";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, anySite, anySystem, path } from "../shared/editor/validators";
import { hasSite, runButton } from "../shared/editor/run-button";
import { title } from "../shared/editor/title";
import { valueTitle } from "../shared/editor/value-title";

RED.nodes.registerType("energy-latest-value", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  onadd: takeAccount,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-value.svg",
  outputs: 2,
  label() {
    return title(this, valueTitle(this["path"]));
  },
  outputLabels(index) {
    return index === 0 ? this._("output.value") : this._("output.none");
  },
  button: runButton(hasSite),
  defaults: properties(LATEST_VALUE, { account, siteId: anySite, systemId: anySystem, path }),
});
