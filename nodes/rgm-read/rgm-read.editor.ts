// Registers rgm read in the editor.
import { RGM_READ } from "./settings";
import { hasSite, runButton, titled } from "../shared/editor/canvas";
import { POLL_FOLDS, prepareFolds } from "../shared/editor/dialog/folds";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, anySite, anySystem, properties } from "../shared/editor/settings";

const TITLES: Record<string, string> = { new: "title.newMeterRecords", range: "title.meterRecords" };

RED.nodes.registerType("energy-rgm-read", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-meter.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(RGM_READ, { account, siteId: anySite, systemId: anySystem }),
  paletteLabel: paletteNode.paletteLabel,
  label: titled(({ mode }) => TITLES[String(mode)]),
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("records"),
  button: runButton((node) => node["mode"] !== "range" && hasSite(node)),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
    prepareFolds(this, POLL_FOLDS);
  },
  oneditsave: paletteNode.oneditsave,
});
