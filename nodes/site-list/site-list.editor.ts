// Registers site list in the editor.
import { SITE_LIST } from "./settings";
import { title, titleIn } from "../shared/editor/canvas";
import { accountNode } from "../shared/editor/palette-node";

const node = accountNode(SITE_LIST, {
  outputs: ["sites"],
  label: (one) => title(one, titleIn(one, "output", ["sites", "systems"])),
});

RED.nodes.registerType("energy-site-list", {
  color: "#6DBB96",
  icon: "energy-sites.svg",
  outputs: 1,
  ...node,
});
