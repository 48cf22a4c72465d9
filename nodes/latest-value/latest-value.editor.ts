// Registers latest value in the editor.
import { LATEST_VALUE } from "./settings";
import { hasSite, runButton, title } from "../shared/editor/canvas";
import { isFresh } from "../shared/editor/new-nodes";
import { saveThenOffer } from "../shared/editor/next-step";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { valuePicker, valueTitle } from "../shared/editor/pickers/values";
import { account, anySite, anySystem, path, properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-latest-value", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-value.svg",
  inputs: 1,
  outputs: 2,
  defaults: properties(LATEST_VALUE, { account, siteId: anySite, systemId: anySystem, path }),
  paletteLabel: paletteNode.paletteLabel,
  label() {
    return title(this, valueTitle(this["path"]));
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("value", "none"),
  button: runButton(hasSite),
  onadd() {
    paletteNode.onadd.call(this);
    // A flow that lacks them runs on messages only.
    if (isFresh(this)) Object.assign(this, { repeat: 5, onDeploy: true });
  },
  oneditprepare() {
    prepareSiteNode(this, valuePicker);
  },
  oneditsave: saveThenOffer,
});
