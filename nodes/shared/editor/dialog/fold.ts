// Folds settings that most users never touch: a line sums up what is set, and a fold with an invalid field opens.

/** What a fold says while it is closed, by its `data-fold`. It may read the fields with `currentValue`. */
export type FoldSummaries = Record<string, (node: EditorNode) => string>;

const FOLD = "details.energy-fold";
/** The editor marks an invalid field with this class; for a typed input, the visible part of the widget. */
const INVALID = ".input-error";

/** Call this last in oneditprepare: the summaries read the fields. */
export function prepareFolds(node: EditorNode, summaries: FoldSummaries): void {
  const form = $(FOLD).closest("form");
  const update = (): void => {
    for (const [name, summary] of Object.entries(summaries))
      form.find(`${FOLD}[data-fold="${name}"] .energy-fold-summary`).text(summary(node));
  };
  form.on("change input", update);
  update();
  form.find(FOLD).each((_index, fold) => openWhenInvalid(fold));
}

/** The editor validates after oneditprepare and whenever a field changes. */
function openWhenInvalid(fold: HTMLElement): void {
  const open = (): void => {
    if (fold.querySelector(INVALID)) fold.setAttribute("open", "");
  };
  new MutationObserver(open).observe(fold, { attributeFilter: ["class"], subtree: true });
  open();
}
