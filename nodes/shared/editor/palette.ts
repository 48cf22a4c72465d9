// What every palette node of the package has in common: where it stands, how it looks, how its dialog opens and saves.
import { prepareDialog, saveNumbers } from "./dialog";

/** Beside its own properties, a palette node says how many outputs it has and which icon it wears. */
export const paletteNode = {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel(this: EditorNode): string {
    return this._("label.palette");
  },
  label(this: EditorNode): string {
    return this.name || this._("label.palette");
  },
  labelStyle,
  oneditprepare(this: EditorNode): void {
    prepareDialog(this);
  },
  oneditsave(this: EditorNode): void {
    saveNumbers(this);
  },
};

/** As core nodes: a name that a person gave is in italics. */
export function labelStyle(this: EditorNode): string {
  return this.name ? "node_label_italic" : "";
}
