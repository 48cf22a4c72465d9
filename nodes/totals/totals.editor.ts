// Registers totals in the editor.
import { PERIOD_NAMES } from "../../src/site-calendar";
import { TOTALS } from "./settings";
import { title, titleIn } from "../shared/editor/canvas";
import { currentText } from "../shared/editor/dialog/fields";
import { offerNext } from "../shared/editor/new-nodes";
import { siteNode } from "../shared/editor/palette-node";
import { ownText } from "../shared/editor/texts";

const node = siteNode(TOTALS, {
  outputs: ["totals"],
  label: (one) => title(one, titleIn(one, "period", PERIOD_NAMES)),
  // A flow that lacks it runs on messages only.
  added: () => ({ onDeploy: true }),
  folds: { money: moneyText },
  save: offerNext,
});

RED.nodes.registerType("energy-totals", {
  color: "#6DBB96",
  icon: "energy-totals.svg",
  outputs: 1,
  ...node,
});

/** Whether the node computes money. */
function moneyText(one: EditorNode): string {
  const isSet = (name: string): boolean =>
    currentText(one, `${name}Type`) === "prices" || currentText(one, name) !== "";
  if (!isSet("importPrice") && !isSet("exportPrice")) return one._("fold.noMoney");
  return ownText(one, "fold.money", { currency: currentText(one, "currency") });
}
