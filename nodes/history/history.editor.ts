// Registers history in the editor.
import { HISTORY } from "./settings";
import { hasSite, runButton } from "../shared/editor/canvas/run-button";
import { title } from "../shared/editor/canvas/title";
import { paletteNode } from "../shared/editor/palette-node";
import { properties } from "../shared/editor/settings/defaults";
import { account, oneSite, oneSystem } from "../shared/editor/settings/validators";
import { siteNode } from "../shared/editor/site-node";
import { sharedText } from "../shared/editor/texts";
import { keepTexts } from "./day-fields.editor";

const TITLES: Record<string, string> = {
  last24Hours: "title.last24Hours",
  yesterday: "title.yesterday",
  lastMonth: "title.lastMonth",
};
/** In an older flow, the message sets the range. */
const isFromMessage = ({ range }: EditorNode): boolean => range === undefined || range === "message";

RED.nodes.registerType("energy-history", {
  category: "energy sites",
  color: "#6DBB96",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label() {
    const { range, from, to } = this;
    if (range === "days") return title(this, daysTitle(String(from), String(to)));
    return title(this, sharedText(TITLES[String(range)] ?? "title.history"));
  },
  labelStyle: paletteNode.labelStyle,
  onadd: siteNode.onadd,
  oneditsave: siteNode.oneditsave,
  icon: "energy-history.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.progress");
  },
  button: runButton((node) => !isFromMessage(node) && hasSite(node)),
  defaults: properties(HISTORY, { account, siteId: oneSite, systemId: oneSystem }),
  oneditprepare() {
    siteNode.oneditprepare.call(this);
    keepTexts(this, ["from", "to"]);
  },
});

function daysTitle(from: string, to: string): string {
  return from === to ? from : sharedText("title.days", { from, to });
}
