// Lets people find the nodes in the palette by what they look for, and shows the category in their language.
import { sharedText } from "../shared/editor/texts";

const CATEGORY = "#red-ui-palette-header-energy_sites > span";
const NODES = ".red-ui-palette-node[data-palette-type^='energy-']";
/** The search of the palette looks at the type and at this attribute. */
const SEARCHED = "data-palette-label";
/** Nodes with words of their own. */
const NAMED = ["mqtt", "points", "statistics", "totals", "threshold"];

/** Call this before the account is registered, which may be the last of the nodes. */
export function preparePalette(): void {
  RED.events.on("registry:node-type-added", update);
}

function update(): void {
  $(CATEGORY).text(sharedText("palette.category"));
  $(NODES).each((_index, element) => {
    const name = String($(element).attr("data-palette-type")).slice("energy-".length);
    const keys = ["all", ...NAMED.filter((known) => known === name)];
    const words = keys.map((key) => sharedText(`palette.words.${key}`)).join(" ");
    const label = $(element).attr(SEARCHED) ?? "";
    if (!label.endsWith(words)) $(element).attr(SEARCHED, `${label} ${words}`);
  });
}
