// Registers rgm read in the editor.
import { RGM_READ } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { prepareFolds } from "../shared/editor/dialog/fold";
import { POLL_FOLDS } from "../shared/editor/dialog/poll-folds";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, anySite, anySystem } from "../shared/editor/settings/validators";
import { siteNode } from "../shared/editor/site-node";
import { sharedText } from "../shared/editor/texts";

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
  onadd: siteNode.onadd,
  oneditsave: siteNode.oneditsave,
  icon: "energy-meter.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.records");
  },
  button: runButton((node) => node["mode"] !== "range" && hasSite(node)),
  defaults: properties(RGM_READ, { account, siteId: anySite, systemId: anySystem }),
  oneditprepare() {
    siteNode.oneditprepare.call(this);
    prepareFolds(this, POLL_FOLDS);
  },
});
