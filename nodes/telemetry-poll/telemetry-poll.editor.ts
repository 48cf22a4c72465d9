// Registers telemetry poll in the editor.
import {
  ACCOUNT,
  INCLUDE_INVERTER,
  NAME,
  RECORD_POLL,
  schedule,
  site,
  system,
} from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { anySite, anySystem } from "../shared/editor/validators";

RED.nodes.registerType("energy-telemetry-poll", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-telemetry.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.newest");
  },
  // Records come every 5 minutes (service interface 4.4): a poll that is dropped into a flow keeps up with them.
  defaults: {
    ...NAME,
    ...ACCOUNT,
    ...site(anySite),
    ...system(anySystem),
    ...schedule(5, true),
    ...RECORD_POLL,
    ...INCLUDE_INVERTER,
  },
});
