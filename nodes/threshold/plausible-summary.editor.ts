// The folded settings of threshold in a few words: which values are plausible, and whether the side is sent again.
import { catalogueValues } from "../../src/shown-text";
import { currentText } from "../shared/editor/dialog/fields";

export function plausible(node: EditorNode): string {
  return `${valuesText(node)} · ${repeatText(node)}`;
}

function valuesText(node: EditorNode): string {
  const { min = "", max = "" } = catalogueValues({
    min: currentText(node, "min"),
    max: currentText(node, "max"),
  });
  if (min && max) return node._("fold.between", { min, max });
  if (min) return node._("fold.atLeast", { min });
  return max ? node._("fold.atMost", { max }) : node._("fold.any");
}

function repeatText(node: EditorNode): string {
  const minutes = currentText(node, "repeat");
  return Number(minutes) === 0
    ? node._("fold.notRepeated")
    : node._("fold.repeated", catalogueValues({ minutes }));
}
