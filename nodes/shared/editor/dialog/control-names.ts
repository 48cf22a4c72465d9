// Names the controls that the editor draws in place of our fields, so that a screen reader can tell them apart.
import { prepareConfigButtons } from "./config-buttons";
import { labelText } from "./controls";

/** Call this when all widgets of the dialog exist. */
export function nameControls(node: EditorNode, form: JQuery): void {
  form.find(".red-ui-typedInput-container").each((_index, widget) => nameTypedInput($(widget)));
  form.find(".energy-unit").each((index, unit) => describeNumber($(unit), index));
  prepareConfigButtons(node);
}

/** The label of the row belongs to the original field, which is hidden. */
function nameTypedInput(widget: JQuery): void {
  const label = labelText(widget);
  widget.find("input, button").attr("aria-label", label);
  const button = widget.find(".red-ui-typedInput-type-select");
  // Its title is the selected type.
  const nameType = (): unknown => button.attr("aria-label", `${label}: ${button.attr("title") ?? ""}`);
  widget.prev().on("typedinputtypechange", nameType);
  nameType();
  // The editor leaves the mark of the focus when the focus leaves this button.
  button.on("blur", () => widget.removeClass("red-ui-typedInput-focus"));
}

/** Reads out the unit with the field in front of it. */
function describeNumber(unit: JQuery, index: number): void {
  const id = `energy-unit-${index}`;
  unit.attr("id", id).prev("input").attr("aria-describedby", id);
}
