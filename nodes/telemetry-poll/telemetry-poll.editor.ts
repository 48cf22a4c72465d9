// Registers telemetry poll in the editor.
import { TELEMETRY_POLL } from "../../src/settings/table/telemetry-poll";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, anySite, anySystem } from "../shared/editor/validators";
import { prepareFolds } from "../shared/editor/fold";
import { POLL_FOLDS } from "../shared/editor/poll-folds";
import { hasSite, runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { title } from "../shared/editor/title";

RED.nodes.registerType("energy-telemetry-poll", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText("title.newRecords"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: takeAccount,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-telemetry.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.newest");
  },
  button: runButton(hasSite),
  defaults: properties(TELEMETRY_POLL, { account, siteId: anySite, systemId: anySystem }),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    prepareFolds(this, POLL_FOLDS);
  },
});
