// Registers history in the editor.
import { HISTORY } from "./settings";
import { title, titleIn } from "../shared/editor/canvas";
import { fieldOf } from "../shared/editor/dialog/fields";
import { siteNode } from "../shared/editor/palette-node";
import { ownText } from "../shared/editor/texts";

const TITLED = ["last24h", "yesterday", "lastMonth"];

const node = siteNode(HISTORY, {
  outputs: ["records", "progress"],
  label: (one) => title(one, one["range"] === "fromTo" ? daysTitle(one) : titleIn(one, "range", TITLED)),
  prepare(one) {
    keepText(one, "from");
    keepText(one, "to");
  },
});

RED.nodes.registerType("energy-history", {
  color: "#6DBB96",
  icon: "energy-history.svg",
  outputs: 2,
  ...node,
});

function daysTitle(one: EditorNode): string {
  const [from, to] = [String(one["from"]), String(one["to"])];
  return from === to ? from : ownText(one, "title.days", { from, to });
}

/** Shows a stored text that is no date, such as ${DAY}, in a field for text: in one for dates, the browser would show and store nothing. */
function keepText(one: EditorNode, property: string): void {
  const stored = one[property];
  const field = fieldOf(one, property);
  if (typeof stored === "string" && field.val() !== stored) field.attr("type", "text").val(stored);
}
