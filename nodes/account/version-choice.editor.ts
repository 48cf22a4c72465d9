// The API version as a choice of the known ones, and a text for any other: nothing that a flow holds is lost.
import { fieldOf } from "../shared/editor/fields";

/** Stands for a version that is written by hand. */
const OTHER = "other";

export function prepareVersion(node: EditorNode): void {
  const field = fieldOf(node, "apiVersion");
  const choice = $("#energy-version-choice");
  const known = choice
    .find("option")
    .toArray()
    .map((option) => String($(option).val()))
    .filter((version) => version !== OTHER);
  const stored = String(field.val());

  choice.val(known.includes(stored) ? stored : OTHER);
  const row = field.closest(".form-row").toggle(choice.val() === OTHER);
  choice.on("change", () => {
    const isOther = choice.val() === OTHER;
    field.val(isOther ? "" : String(choice.val())).trigger("change");
    row.toggle(isOther);
    if (isOther) field.trigger("focus");
  });
}
