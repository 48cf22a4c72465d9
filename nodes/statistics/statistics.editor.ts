// Registers statistics in the editor.
import { STATISTICS } from "./settings";
import { shapingNode } from "../shared/editor/palette-node";

const node = shapingNode(STATISTICS, { outputs: ["commands", "written"] });

RED.nodes.registerType("energy-statistics", {
  color: "#A9C46C",
  icon: "energy-statistics.svg",
  outputs: 2,
  ...node,
});
