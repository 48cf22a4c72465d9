// Registers points in the editor.
import { NAME } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";

RED.nodes.registerType("energy-points", {
  ...paletteNode,
  icon: "energy-points.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.points");
  },
  defaults: {
    ...NAME,
    target: { value: "influxdb" },
    measurement: { value: "energy" },
  },
});
