// Registers history in the editor.
import { HISTORY } from "../../src/settings/table/history";
import { properties } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { takeAccount } from "../shared/editor/pickers/account-choice";
import { account, oneSite, oneSystem } from "../shared/editor/validators";
import { hasSite, runButton } from "../shared/editor/run-button";
import { sharedText } from "../shared/editor/texts";
import { title } from "../shared/editor/title";
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
  onadd: takeAccount,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-history.svg",
  outputs: 2,
  outputLabels(index) {
    return index === 0 ? this._("output.records") : this._("output.progress");
  },
  button: runButton((node) => !isFromMessage(node) && hasSite(node)),
  defaults: properties(HISTORY, { account, siteId: oneSite, systemId: oneSystem }),
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    keepTexts(this, ["from", "to"]);
  },
});

function daysTitle(from: string, to: string): string {
  return from === to ? from : sharedText("title.days", { from, to });
}
