// Registers rgm read in the editor.
import { RGM_READ } from "../../src/settings/table/rgm-read";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, anySite, anySystem } from "../shared/editor/validators";
import { prepareFolds } from "../shared/editor/fold";
import { POLL_FOLDS } from "../shared/editor/poll-folds";
import { hasSite, runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { title } from "../shared/editor/title";

const TITLES: Record<string, string> = {
  new: "title.newMeterRecords",
  range: "title.meterRecords",
};

RED.nodes.registerType("energy-rgm-read", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, sharedText(TITLES[String(this["mode"])] ?? "title.meter"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: takeAccount,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-meter.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.records");
  },
  button: runButton((node) => node["mode"] !== "range" && hasSite(node)),
  defaults: properties(RGM_READ, { account, siteId: anySite, systemId: anySystem }),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    prepareFolds(this, POLL_FOLDS);
  },
});
