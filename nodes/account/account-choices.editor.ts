// What the account's dialog offers to choose from in its own way: the service, and the API version.
import { fieldOf, isInDialog, rowOf } from "../shared/editor/dialog/fields";
import { sharedText } from "../shared/editor/texts";

const CARDS = "[name='energy-service']";
const VERSION = "#energy-version-choice";
/** The option for a version that is typed in. */
const OTHER = "other";

/** Two cards for the user's account and the demo. A value that this version does not know selects no card and is kept. */
export function prepareService(node: EditorNode): void {
  const field = fieldOf(node, "service");
  const cards = $(CARDS);
  cards.val([String(field.val())]);
  cards.on("change", () => field.val(String(cards.filter(":checked").val())).trigger("change"));
}

/** The known API versions in a list, and a text field for any other, so that no stored version is lost. */
export function prepareVersion(node: EditorNode): void {
  const field = fieldOf(node, "apiVersion");
  const choice = $(VERSION);
  // A list without the version has nothing selected then.
  if (choice.val(String(field.val())).val() === null) choice.val(OTHER);
  const row = rowOf(field).toggle(choice.val() === OTHER);
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
  const isMissing = isEmpty && isInDialog(this, "apiVersion") && $(VERSION).val() === OTHER;
  return !isMissing || sharedText("validator.version");
};
