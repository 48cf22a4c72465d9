// Registers telemetry poll in the editor.
import { TELEMETRY_POLL } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { prepareFolds } from "../shared/editor/dialog/fold";
import { POLL_FOLDS } from "../shared/editor/dialog/poll-folds";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, anySite, anySystem } from "../shared/editor/settings/validators";
import { siteNode } from "../shared/editor/site-node";
import { sharedText } from "../shared/editor/texts";

RED.nodes.registerType("energy-telemetry-poll", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText("title.newRecords"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: siteNode.onadd,
  oneditsave: siteNode.oneditsave,
  icon: "energy-telemetry.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.newest");
  },
  button: runButton(hasSite),
  defaults: properties(TELEMETRY_POLL, { account, siteId: anySite, systemId: anySystem }),
  oneditprepare() {
    siteNode.oneditprepare.call(this);
    prepareFolds(this, POLL_FOLDS);
  },
});
