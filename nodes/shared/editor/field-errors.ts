// Says below a field what is wrong with it. The editor itself shows a tooltip, which nobody sees at a typed input: it
// hangs on the hidden original field.
import { fieldOf } from "./fields";

/** Where the editor keeps the tooltip of a field, once it has made one. */
const TOOLTIP = "tooltip";

/** What the editor does with a tooltip: a new text at each check that fails, its end at one that passes. */
interface Tooltip {
  setContent(text: string): void;
  delete(): void;
}

/** Call it before the editor's first check, which follows oneditprepare. */
export function showErrors(node: EditorNode): void {
  const { defaults, credentials } = node._def;
  for (const property of Object.keys({ ...defaults, ...credentials })) takeTooltip(fieldOf(node, property));
}

/** The line stands in for the tooltip, so that the editor never makes one. */
function takeTooltip(field: JQuery): void {
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
