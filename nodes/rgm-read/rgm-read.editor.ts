// Registers rgm read in the editor.
import { RGM_READ } from "./settings";
import { title, titleIn } from "../shared/editor/canvas";
import { POLL_FOLDS } from "../shared/editor/dialog/folds";
import { siteNode } from "../shared/editor/palette-node";

const node = siteNode(RGM_READ, {
  outputs: ["records"],
  label: (one) => title(one, titleIn(one, "mode", ["new", "range"])),
  folds: POLL_FOLDS,
});

RED.nodes.registerType("energy-rgm-read", {
  color: "#6DBB96",
  icon: "energy-meter.svg",
  outputs: 1,
  ...node,
});
