// Registers telemetry poll in the editor.
import { TELEMETRY_POLL } from "./settings";
import { POLL_FOLDS } from "../shared/editor/dialog/folds";
import { offerNext } from "../shared/editor/new-nodes";
import { siteNode } from "../shared/editor/palette-node";

const node = siteNode(TELEMETRY_POLL, {
  outputs: ["records", "newest"],
  folds: POLL_FOLDS,
  save: offerNext,
});

RED.nodes.registerType("energy-telemetry-poll", {
  color: "#6DBB96",
  icon: "energy-telemetry.svg",
  outputs: 2,
  ...node,
});
