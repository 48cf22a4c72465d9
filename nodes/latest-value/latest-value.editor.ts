// Registers latest value in the editor.
import { ACCOUNT, INCLUDE_INVERTER, MAX_AGE, NAME, schedule, site, system } from "../shared/editor/defaults";
import { prepareDialog } from "../shared/editor/dialog";
import { fieldOf } from "../shared/editor/fields";
import { paletteNode } from "../shared/editor/palette";
import { anySite, anySystem, path } from "../shared/editor/validators";
import { offerPaths } from "./path-picker.editor";

RED.nodes.registerType("energy-latest-value", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-value.svg",
  outputs: 2,
  // Without a name, what it reads: the last part of its path.
  label() {
    const path = this["path"];
    const part = typeof path === "string" ? path.split(".").at(-1) : "";
    return this.name || part || this._("label.palette");
  },
  outputLabels(index) {
    return index === 0 ? this._("output.value") : this._("output.none");
  },
  defaults: {
    ...NAME,
    ...ACCOUNT,
    ...site(anySite),
    ...system(anySystem),
    path: { value: "", label: RED._("@energy-sites/node-red/latest-value:label.path"), validate: path },
    ...MAX_AGE,
    ...INCLUDE_INVERTER,
    ...schedule(0, false),
  },
  oneditprepare() {
    prepareDialog(this);
    offerPaths(fieldOf(this, "path"), this._("label.measurement"));
  },
});
