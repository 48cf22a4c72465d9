// Two cards to choose between the user's account and the demo.
import { fieldOf } from "../shared/editor/dialog/fields";

const CARDS = "[name='energy-service']";

/** A value that this version does not know selects no card and is kept. */
export function prepareService(node: EditorNode): void {
  const field = fieldOf(node, "service");
  const cards = $(CARDS);
  cards.filter((_index, card) => $(card).val() === field.val()).prop("checked", true);
  cards.on("change", () => {
    field.val(String(cards.filter(":checked").val())).trigger("change");
  });
}
