// The folded settings of a poll for new records, in a few words each.
import { currentText, currentValue } from "./fields";
import type { FoldSummaries } from "./fold";
import { sharedText } from "../texts";

export const POLL_FOLDS: FoldSummaries = {
  completeness: (node) => {
    const hasStore = currentValue(node, "store") !== "none";
    const parts = [storeText(node), ...(hasStore ? gapTexts(node) : []), maxAgeText(node)];
    return parts.join(" · ");
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

function gapTexts(node: EditorNode): string[] {
  const fillsGaps = currentValue(node, "fillGaps") === true;
  const gaps = fillsGaps
    ? sharedText("fold.gaps", { hours: currentText(node, "gapHours") })
    : sharedText("fold.noGaps");
  const minutes = currentText(node, "lookBack");
  return Number(minutes) === 0 ? [gaps] : [gaps, sharedText("fold.lookBack", { minutes })];
}

function maxAgeText(node: EditorNode): string {
  return sharedText("fold.maxAge", { minutes: currentText(node, "maxAge") });
}
