// Registers latest value in the editor.
import { LATEST_VALUE } from "./settings";
import { title } from "../shared/editor/canvas";
import { offerNext } from "../shared/editor/new-nodes";
import { siteNode } from "../shared/editor/palette-node";
import { valueTitle } from "../shared/editor/pickers/choices";

const node = siteNode(LATEST_VALUE, {
  outputs: ["value", "none"],
  label: (one) => title(one, valueTitle(one["path"])),
  // A flow that lacks them runs on messages only.
  added: () => ({ repeat: 5, onDeploy: true }),
  save: offerNext,
});

RED.nodes.registerType("energy-latest-value", {
  color: "#6DBB96",
  icon: "energy-value.svg",
  outputs: 2,
  ...node,
});
