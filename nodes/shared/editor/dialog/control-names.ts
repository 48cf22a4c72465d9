// Names the controls that the editor draws in place of our fields or beside them, so that a screen reader can tell them apart.
import { sharedText } from "../texts";
import { fieldOf, labelText } from "./fields";

/** Call this when all widgets of the dialog exist. */
export function nameControls(node: EditorNode, form: JQuery): void {
  // A screen reader would read an icon as a character.
  form.find("label > i").attr("aria-hidden", "true");
  form.find(".red-ui-typedInput-container").each((_index, widget) => nameTypedInput($(widget)));
  // The unit is read out with the field in front of it.
  form.find(".energy-unit").each((index, unit) => {
    const id = `energy-unit-${index}`;
    $(unit).attr("id", id).prev("input").attr("aria-describedby", id);
  });
  for (const [property, { type, required }] of Object.entries(node._def.defaults))
    if (type !== undefined) prepareConfigButtons(fieldOf(node, property), required);
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

/** Makes pencil and plus of a config node usable by keyboard: the editor draws them as links without a target. */
function prepareConfigButtons(select: JQuery, required = true): void {
  // As long as there is no node of this type, the editor shows "Add new ..." for an optional one, too.
  if (!required) select.find("option[value='_ADD_']").text(RED._("editor.inputs.none"));
  const label = labelText(select);
  const buttons = select.siblings("a.red-ui-button").attr("role", "button");
  buttons.has(".fa-pencil").attr("aria-label", sharedText("account.edit", { label }));
  buttons.has(".fa-plus").attr("aria-label", sharedText("account.add", { label }));
  buttons.on("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    $(event.currentTarget).trigger("click");
  });
  // The editor disables the pencil while no node is selected.
  const update = (): void =>
    void buttons.each((_index, button) => {
      const isDisabled = $(button).hasClass("disabled");
      $(button).attr({ "aria-disabled": String(isDisabled), tabindex: isDisabled ? -1 : 0 });
    });
  select.on("change", update);
  update();
}
