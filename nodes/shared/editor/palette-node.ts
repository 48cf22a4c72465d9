// What palette nodes share: their properties, labels, button, and how their dialogs open and save.
import type { Settings } from "../../../src/settings/table";
import { runButton, title } from "./canvas";
import { addDiagnostics } from "./diagnostics";
import { prepareDialog, saveNumbers } from "./dialog/dialog";
import { fieldOf } from "./dialog/fields";
import { type FoldSummaries, prepareFolds } from "./dialog/folds";
import { showRunTimes } from "./dialog/schedule-notes";
import { isNeverSaved, markSaved, offerDemo, takeAccount } from "./new-nodes";
import { Pickers } from "./pickers/pickers";
import { properties } from "./settings";

interface Options {
  /** Under `output` in the node's catalogue, by output. */
  outputs: readonly string[];
  label?: (node: EditorNode) => string;
  folds?: FoldSummaries;
  /** What a node from the palette sets that a flow may lack. */
  added?: () => object;
  /** Completes the dialog that opens. */
  prepare?: (node: EditorNode) => void;
  /** Before the editor reads the fields. */
  save?: (node: EditorNode, isFirstSave: boolean) => void;
}

/**
 * A node that shapes what others have read. A script spreads the members as `...node`, which the build writes out: the Node-RED
 * library reads definitions without running them, and cannot follow a spread.
 */
export function shapingNode(settings: Settings, options: Options): EditorDefinition {
  const { outputs, label = ownName, folds = {}, added, prepare, save } = options;
  return {
    category: "energy sites",
    inputs: 1,
    defaults: properties(settings),
    paletteLabel,
    label() {
      return label(this);
    },
    labelStyle,
    outputLabels(index) {
      return this._(`output.${outputs[index] ?? ""}`);
    },
    onadd() {
      takeAccount(this);
      if (isNeverSaved(this)) Object.assign(this, added?.());
    },
    oneditprepare() {
      prepareDialog(this);
      addDiagnostics(this);
      prepare?.(this);
      prepareFolds(this, folds);
    },
    oneditsave() {
      const isFirstSave = isNeverSaved(this);
      markSaved(this, fieldOf(this, "account").val());
      saveNumbers(this);
      save?.(this, isFirstSave);
    },
  };
}

/** A node with an account: it has a button, its label is its site, and its dialog shows when it runs. */
export function accountNode(settings: Settings, { prepare, ...options }: Options): EditorDefinition {
  const node = shapingNode(settings, {
    label: (one) => title(one),
    prepare(one) {
      offerDemo(one);
      showRunTimes(one);
      prepare?.(one);
    },
    ...options,
  });
  return { ...node, button: runButton(settings) };
}

/** A node with a site, which has pickers for it, and for a system and a value if the dialog has these fields. */
export function siteNode(settings: Settings, { prepare, ...options }: Options): EditorDefinition {
  return accountNode(settings, {
    prepare(node) {
      new Pickers(node).start();
      prepare?.(node);
    },
    ...options,
  });
}

export function paletteLabel(this: EditorNode): string {
  return this._("label.palette");
}

/** As in core nodes, a name that the user chose is in italics. */
export function labelStyle(this: EditorNode): string {
  return this.name ? "node_label_italic" : "";
}

function ownName(node: EditorNode): string {
  return node.name || node._("label.palette");
}
