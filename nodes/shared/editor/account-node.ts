// What palette nodes with an account share: they start with one, tell when they run, and have diagnostics.
import { rememberAccount, takeAccount } from "./default-account";
import { addDiagnostics } from "./diagnostics/diagnostics";
import { prepareDialog, saveNumbers, type TextTypes } from "./dialog/dialog";
import { fieldOf } from "./dialog/fields";
import { showRunTimes } from "./dialog/schedule-line";

/** As with `paletteNode`, nodes list each member. */
export const accountNode = { onadd: takeAccount, oneditprepare, oneditsave };

/** @param textTypes see prepareDialog */
export function prepareAccountNode(node: EditorNode, textTypes?: TextTypes): void {
  prepareDialog(node, textTypes);
  addDiagnostics(node);
  showRunTimes(node);
}

function oneditprepare(this: EditorNode): void {
  prepareAccountNode(this);
}

function oneditsave(this: EditorNode): void {
  rememberAccount(this, fieldOf(this, "account").val());
  saveNumbers(this);
}
