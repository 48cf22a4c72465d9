// Registers site info in the editor.
import { SITE_INFO } from "./settings";
import { siteNode } from "../shared/editor/palette-node";

const node = siteNode(SITE_INFO, { outputs: ["site"] });

RED.nodes.registerType("energy-site-info", {
  color: "#6DBB96",
  icon: "energy-site.svg",
  outputs: 1,
  ...node,
});
