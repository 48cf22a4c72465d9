// Offers the known API versions in a list, and a text field for any other, so that no stored version is lost.
import { fieldOf, isInDialog } from "../shared/editor/dialog/fields";
import { sharedText } from "../shared/editor/texts";

const CHOICE = "#energy-version-choice";
/** The option for a version that is typed in. */
const OTHER = "other";

export function prepareVersion(node: EditorNode): void {
  const field = fieldOf(node, "apiVersion");
  const choice = $(CHOICE);
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

/** Only the open dialog can distinguish "other, not typed in yet" from "no version". */
export const version: EditorValidator = function (value, _options) {
  const isEmpty = typeof value !== "string" || value.trim() === "";
  const isMissing = isEmpty && isInDialog(this, "apiVersion") && $(CHOICE).val() === OTHER;
  return !isMissing || sharedText("validator.version");
};
