// Registers history in the editor.
import { ACCOUNT, INCLUDE_INVERTER, NAME, site, system } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { oneSite, oneSystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-history", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-history.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.progress");
  },
  defaults: {
    ...NAME,
    ...ACCOUNT,
    ...site(oneSite),
    ...system(oneSystem),
    source: { value: "telemetry" },
    output: { value: "record" },
    ...INCLUDE_INVERTER,
  },
});
