// What all palette nodes share: their labels, and how their dialogs open and save.
import { prepareDialog, saveNumbers } from "./dialog/dialog";

/** The Node-RED library parses definitions without running them, so nodes list each member instead of spreading this. */
export const paletteNode = { paletteLabel, label, labelStyle, oneditprepare, oneditsave };

function paletteLabel(this: EditorNode): string {
  return this._("label.palette");
}

function label(this: EditorNode): string {
  return this.name || this._("label.palette");
}

/** As in core nodes, a name that the user chose is in italics. */
export function labelStyle(this: EditorNode): string {
  return this.name ? "node_label_italic" : "";
}

function oneditprepare(this: EditorNode): void {
  prepareDialog(this);
}

function oneditsave(this: EditorNode): void {
  saveNumbers(this);
}
