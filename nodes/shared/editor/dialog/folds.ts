// Folds settings that most users never touch: a line sums up what is set.
import { sharedText } from "../texts";
import { currentText, currentValue, followFields, formOf } from "./fields";

/** What a fold says while it is closed, by its `data-fold`. It may read the fields with `currentValue`. */
export type FoldSummaries = Record<string, (node: EditorNode) => string>;

/** Call this last in oneditprepare: the summaries read the fields. */
export function prepareFolds(node: EditorNode, summaries: FoldSummaries): void {
  for (const [name, summary] of Object.entries(summaries)) {
    const fold = formOf(node).find(`details.energy-fold[data-fold="${name}"]`);
    followFields(node, () => void fold.find(".energy-fold-summary").text(summary(node)));
  }
}

/** The folded settings of a poll for new records, in a few words each. */
export const POLL_FOLDS: FoldSummaries = {
  completeness: (node) => {
    const minutes = currentText(node, "maxAge");
    const maxAge = minutes ? sharedText("fold.maxAge", { minutes }) : sharedText("fold.maxAgeAutomatic");
    return [storeText(node), ...gapTexts(node), maxAge].join(" · ");
  },
  delivery: (node) =>
    currentValue(node, "delivery") === "confirmed"
      ? sharedText("fold.confirmed", { seconds: currentText(node, "confirmTimeout") })
      : sharedText("fold.sent"),
};

function storeText(node: EditorNode): string {
  const store = currentText(node, "store");
  if (store === "none") return sharedText("fold.noStore");
  if (store === "message") return sharedText("fold.carried");
  if (store === "file") return sharedText("fold.file");
  const [, name] = /^context:(.+)$/.exec(store) ?? [];
  return name === undefined ? store : sharedText("option.store.context", { name });
}

/** Without a store, a poll neither fills gaps nor looks back. */
function gapTexts(node: EditorNode): string[] {
  if (currentValue(node, "store") === "none") return [];
  const fillsGaps = currentValue(node, "fillGaps") === true;
  const gaps = fillsGaps
    ? sharedText("fold.gaps", { hours: currentText(node, "gapHours") })
    : sharedText("fold.noGaps");
  const minutes = currentText(node, "lookBack");
  return Number(minutes) === 0 ? [gaps] : [gaps, sharedText("fold.lookBack", { minutes })];
}
