// Registers totals in the editor.
import { TOTALS } from "./settings";
import { hasSite, runButton, title } from "../shared/editor/canvas";
import { currentText } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/folds";
import { saveThenOffer } from "../shared/editor/next-step";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, anySite, anySystem, properties } from "../shared/editor/settings";

RED.nodes.registerType("energy-totals", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-totals.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(TOTALS, { account, siteId: anySite, systemId: anySystem }),
  paletteLabel: paletteNode.paletteLabel,
  label() {
    const { period = "today" } = this;
    return title(this, period === "message" ? "" : this._(`title.${String(period)}`));
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("totals"),
  button: runButton((node) => node["period"] !== "message" && hasSite(node)),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
    prepareFolds(this, { money: moneyText });
  },
  oneditsave: saveThenOffer,
});

/** Whether the node computes money. */
function moneyText(node: EditorNode): string {
  const isSet = (name: string): boolean =>
    currentText(node, `${name}Type`) === "prices" || currentText(node, name).trim() !== "";
  if (!isSet("importPrice") && !isSet("exportPrice")) return node._("fold.noMoney");
  return node._("fold.money", { currency: currentText(node, "currency") || "EUR" });
}
