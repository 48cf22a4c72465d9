// Registers telemetry poll in the editor.
import { TELEMETRY_POLL } from "../../src/settings/table/telemetry-poll";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { account, anySite, anySystem } from "../shared/editor/validators";

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
  defaults: properties(TELEMETRY_POLL, { account, siteId: anySite, systemId: anySystem }),
});
