// Registers totals in the editor.
import { TOTALS } from "./settings";
import { title } from "../shared/editor/canvas";
import { currentText } from "../shared/editor/dialog/fields";
import { offerNext } from "../shared/editor/new-nodes";
import { siteNode } from "../shared/editor/palette-node";
import { ownText } from "../shared/editor/texts";

/** Those with a title. */
const PERIODS: readonly unknown[] = TOTALS.period.choices.filter((period) => period !== "message");

const node = siteNode(TOTALS, {
  outputs: ["totals"],
  label: (one) => {
    const { period = "today" } = one;
    // An imported flow sets it to anything.
    return title(one, PERIODS.includes(period) ? one._(`title.${String(period)}`) : "");
  },
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
