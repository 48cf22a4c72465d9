// Registers telemetry poll in the editor.
import { TELEMETRY_POLL } from "./settings";
import { hasSite, runButton, titled } from "../shared/editor/canvas";
import { POLL_FOLDS, prepareFolds } from "../shared/editor/dialog/folds";
import { saveThenOffer } from "../shared/editor/next-step";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, anySite, anySystem, properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-telemetry-poll", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-telemetry.svg",
  inputs: 1,
  outputs: 2,
  defaults: properties(TELEMETRY_POLL, { account, siteId: anySite, systemId: anySystem }),
  paletteLabel: paletteNode.paletteLabel,
  label: titled(),
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("records", "newest"),
  button: runButton(hasSite),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
    prepareFolds(this, POLL_FOLDS);
  },
  oneditsave: saveThenOffer,
});
