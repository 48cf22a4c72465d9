// Registers history in the editor.
import { HISTORY } from "./settings";
import { hasSite, runButton, title } from "../shared/editor/canvas";
import { fieldOf } from "../shared/editor/dialog/fields";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, anySite, anySystem, properties } from "../shared/editor/settings";
import { sharedText } from "../shared/editor/texts";

const TITLES: Record<string, string> = {
  last24h: "title.last24h",
  yesterday: "title.yesterday",
  lastMonth: "title.lastMonth",
};

RED.nodes.registerType("energy-history", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-history.svg",
  inputs: 1,
  outputs: 2,
  defaults: properties(HISTORY, { account, siteId: anySite, systemId: anySystem }),
  paletteLabel: paletteNode.paletteLabel,
  label() {
    const { range, from, to } = this;
    if (range === "fromTo") return title(this, daysTitle(String(from), String(to)));
    const key = TITLES[String(range)];
    return title(this, key && sharedText(key));
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("records", "progress"),
  button: runButton((node) => node["range"] !== "message" && hasSite(node)),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
    keepText(this, "from");
    keepText(this, "to");
  },
  oneditsave: paletteNode.oneditsave,
});

function daysTitle(from: string, to: string): string {
  return from === to ? from : sharedText("title.days", { from, to });
}

/** Shows a stored text that is no date, such as ${DAY}, in a field for text: in one for dates, the browser would show and store nothing. */
function keepText(node: EditorNode, property: string): void {
  const stored = node[property];
  const field = fieldOf(node, property);
  if (typeof stored === "string" && field.val() !== stored) field.attr("type", "text").val(stored);
}
