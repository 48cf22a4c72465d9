// Registers points in the editor.
import { shownText } from "../../src/shown-text";
import { POINTS } from "./settings";
import { shapingNode } from "../shared/editor/palette-node";

const node = shapingNode(POINTS, {
  outputs: ["points"],
  // Without a name, the label is the target.
  label: (one) => {
    const palette = one._("label.palette");
    const { target } = one;
    return one.name || (typeof target === "string" ? `${palette} · ${shownText(target, 20)}` : palette);
  },
});

RED.nodes.registerType("energy-points", {
  color: "#A9C46C",
  icon: "energy-points.svg",
  outputs: 1,
  ...node,
});
