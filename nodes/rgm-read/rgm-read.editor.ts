// Registers rgm read in the editor.
import { ACCOUNT, NAME, RECORD_POLL, schedule, site, system } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { anySite, anySystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-rgm-read", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-meter.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.records");
  },
  defaults: {
    ...NAME,
    ...ACCOUNT,
    ...site(anySite),
    ...system(anySystem),
    mode: { value: "latest" },
    ...schedule(0, false),
    ...RECORD_POLL,
  },
});
