// Makes the pencil and plus of a config node usable by keyboard and known to screen readers: the editor draws them as
// links without a target.
import { labelText } from "./controls";
import { fieldOf } from "./fields";
import { sharedText } from "../texts";

export function prepareConfigButtons(node: EditorNode): void {
  for (const [property, { type, required }] of Object.entries(node._def.defaults)) {
    if (type === undefined) continue;
    const select = fieldOf(node, property);
    // As long as there is no node of this type, the editor shows "Add new ..." for an optional one, too.
    if (required === false) select.find("option[value='_ADD_']").text(RED._("editor.inputs.none"));
    const label = labelText(select);
    const buttons = select.siblings("a.red-ui-button");
    name(buttons.has(".fa-pencil"), sharedText("account.edit", { label }));
    name(buttons.has(".fa-plus"), sharedText("account.add", { label }));
    press(buttons);
    // The editor disables the pencil while no node is selected.
    const update = (): void => void buttons.each((_index, button) => setDisabled($(button)));
    select.on("change", update);
    update();
  }
}

function name(button: JQuery, text: string): void {
  button.attr({ role: "button", "aria-label": text });
}

function press(buttons: JQuery): void {
  buttons.on("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    $(event.currentTarget).trigger("click");
  });
}

function setDisabled(button: JQuery): void {
  const isDisabled = button.hasClass("disabled");
  button.attr({ "aria-disabled": String(isDisabled), tabindex: isDisabled ? -1 : 0 });
}
