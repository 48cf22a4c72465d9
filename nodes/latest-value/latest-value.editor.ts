// Registers latest value in the editor.
import { LATEST_VALUE } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, anySite, anySystem, path } from "../shared/editor/settings/validators";
import { prepareSiteNode, siteNode } from "../shared/editor/site-node";
import { valuePicker } from "./value-picker.editor";
import { valueTitle } from "./value-title.editor";

RED.nodes.registerType("energy-latest-value", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  onadd: siteNode.onadd,
  oneditsave: siteNode.oneditsave,
  icon: "energy-value.svg",
  outputs: 2,
  label() {
    return title(this, valueTitle(this["path"]));
  },
  outputLabels(index) {
    return index === 0 ? this._("output.value") : this._("output.none");
  },
  button: runButton(hasSite),
  oneditprepare() {
    prepareSiteNode(this, valuePicker());
  },
  defaults: properties(LATEST_VALUE, { account, siteId: anySite, systemId: anySystem, path }),
});
