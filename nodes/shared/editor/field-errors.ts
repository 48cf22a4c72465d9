// Shows validation errors below their fields. The editor's own tooltip is invisible for a typed input, because it is
// attached to the hidden original field.
import { fieldOf } from "./fields";

/** The key under which the editor stores a field's tooltip. */
const TOOLTIP = "tooltip";

/** How the editor uses a tooltip: it sets the text when validation fails, and deletes the tooltip when it passes. */
interface Tooltip {
  setContent(text: string): void;
  delete(): void;
}

/** Call this before the editor first validates, which it does after oneditprepare. */
export function showErrors(node: EditorNode): void {
  const { defaults, credentials } = node._def;
  for (const property of Object.keys({ ...defaults, ...credentials }))
    replaceTooltip(fieldOf(node, property));
}

/** Puts a line of text in place of the tooltip, so that the editor never creates one. */
function replaceTooltip(field: JQuery): void {
  const line = $("<div>", { class: "energy-error", "aria-live": "polite" }).hide();
  line.appendTo(field.closest(".form-row"));
  const tooltip: Tooltip = {
    setContent: (text) => void line.text(text).show(),
    delete() {
      line.hide();
      field.data(TOOLTIP, tooltip);
    },
  };
  field.data(TOOLTIP, tooltip);
}
