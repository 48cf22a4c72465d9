// What every palette node of the package has in common: its labels, and how its dialog opens and saves.
import { prepareDialog, saveNumbers } from "./dialog";

/** The Node-RED library reads a node's definition as text and cannot follow a spread: nodes name each member. */
export const paletteNode = { paletteLabel, label, labelStyle, oneditprepare, oneditsave };

function paletteLabel(this: EditorNode): string {
  return this._("label.palette");
}

function label(this: EditorNode): string {
  return this.name || this._("label.palette");
}

/** As core nodes: a name that a person gave is in italics. */
export function labelStyle(this: EditorNode): string {
  return this.name ? "node_label_italic" : "";
}

function oneditprepare(this: EditorNode): void {
  prepareDialog(this);
}

function oneditsave(this: EditorNode): void {
  saveNumbers(this);
}
