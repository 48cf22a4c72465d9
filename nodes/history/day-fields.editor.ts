// Date fields that may hold other text, such as ${DAY}: a browser would show and store nothing instead.
import { fieldOf } from "../shared/editor/dialog/fields";

/** Shows a stored text that is no date in a field for text. */
export function keepTexts(node: EditorNode, properties: readonly string[]): void {
  for (const property of properties) {
    const stored = node[property];
    const field = fieldOf(node, property);
    if (typeof stored === "string" && field.val() !== stored) field.attr("type", "text").val(stored);
  }
}
