// Registers latest value in the editor.
import { LATEST_VALUE } from "../../src/settings/table/latest-value";
import { properties } from "../shared/editor/defaults";
import { prepareDialog } from "../shared/editor/dialog";
import { fieldOf } from "../shared/editor/fields";
import { paletteNode } from "../shared/editor/palette";
import { account, anySite, anySystem, path } from "../shared/editor/validators";
import { suggestPaths } from "./path-picker.editor";

RED.nodes.registerType("energy-latest-value", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-value.svg",
  outputs: 2,
  // Without a name, the label is the last part of the path.
  label() {
    const path = this["path"];
    const part = typeof path === "string" ? path.split(".").at(-1) : "";
    return this.name || part || this._("label.palette");
  },
  outputLabels(index) {
    return index === 0 ? this._("output.value") : this._("output.none");
  },
  defaults: properties(LATEST_VALUE, { account, siteId: anySite, systemId: anySystem, path }),
  oneditprepare() {
    prepareDialog(this);
    suggestPaths(fieldOf(this, "path"), this._("label.measurement"));
  },
});
