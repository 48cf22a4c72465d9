// Registers points in the editor.
import { POINTS } from "./settings";
import { shapingNode } from "../shared/editor/palette-node";
import { sharedText } from "../shared/editor/texts";

const TARGETS: readonly unknown[] = POINTS.target.choices;

const node = shapingNode(POINTS, {
  outputs: ["points"],
  // Without a name, the label is the target, if it is one: an imported flow sets it to anything.
  label: (one) => {
    const type = one._("label.palette");
    const { target } = one;
    if (one.name || !TARGETS.includes(target)) return one.name || type;
    return sharedText("title.node", { type, of: one._(`option.target.${String(target)}`) });
  },
});

RED.nodes.registerType("energy-points", {
  color: "#A9C46C",
  icon: "energy-points.svg",
  outputs: 1,
  ...node,
});
