// What palette nodes share: their labels, and how their dialogs open and save. The Node-RED library parses definitions without
// running them, so nodes list each member instead of spreading an object.
import { offerDemo } from "./demo-account";
import { addDiagnostics } from "./diagnostics";
import { prepareDialog, saveNumbers } from "./dialog/dialog";
import { fieldOf } from "./dialog/fields";
import { showRunTimes } from "./dialog/schedule-notes";
import { markSaved, onadd } from "./new-nodes";
import { preparePickers, type ValuePicker } from "./pickers/pickers";

/** A node that does not read anything opens its dialog with `oneditprepare`, others with the functions below. */
export const paletteNode = { paletteLabel, label, labelStyle, onadd, oneditprepare, oneditsave };

function paletteLabel(this: EditorNode): string {
  return this._("label.palette");
}

function label(this: EditorNode): string {
  return this.name || this._("label.palette");
}

/** As in core nodes, a name that the user chose is in italics. */
function labelStyle(this: EditorNode): string {
  return this.name ? "node_label_italic" : "";
}

function oneditprepare(this: EditorNode): void {
  prepareDialog(this);
}

function oneditsave(this: EditorNode): void {
  markSaved(this, fieldOf(this, "account").val());
  saveNumbers(this);
}

/** @param names under `output` in the node's catalogue, by output */
export function outputLabels(...names: string[]): (this: EditorNode, index: number) => string {
  return function (index) {
    return this._(`output.${names[index] ?? ""}`);
  };
}

/** Opens the dialog of a node with an account: it shows when the node runs, and offers diagnostics. */
export function prepareAccountNode(node: EditorNode): void {
  prepareDialog(node);
  addDiagnostics(node);
  offerDemo(node);
  showRunTimes(node);
}

/**
 * Opens the dialog of a node with a site, and pickers for it, and for a system and a value if the dialog has these fields.
 * @param values for a node with the field `path`
 */
export function prepareSiteNode(node: EditorNode, values?: ValuePicker): void {
  prepareAccountNode(node);
  preparePickers(node, values);
}
