// Adds behavior to a dialog based on its form: typed inputs, conditional rows, and values that must be preserved.
import type { WidgetTypedInputType, WidgetTypedInputTypeDefinition } from "node-red__editor-client";
import { showErrors } from "./field-errors";
import { warnOfShortMaxAge } from "./schedule-notes";
import { decimalOf } from "../../../../src/settings/rules";
import { sharedText } from "../texts";
import { ADD_NEW, currentValue, describeBy, fieldOf, followFields, formOf, labelText, NODE } from "./fields";

/** The types of a typed input without a `data-types` attribute. */
const ANY_TYPE = "str,msg,flow,global,env,jsonata";

type AnyType = WidgetTypedInputType | WidgetTypedInputTypeDefinition;

/** Call this first in oneditprepare. */
export function prepareDialog(node: EditorNode): void {
  const form = formOf(node);
  form.data(NODE, node);
  addStores(fieldOf(node, "store"));
  for (const [property, { type, value }] of Object.entries(node._def.defaults)) {
    if (type === undefined) showStored(fieldOf(node, property), node[property], value);
  }
  showErrors(node);
  for (const property of Object.keys(node._def.defaults)) makeTypedInput(node, property);
  nameControls(node, form);
  warnOfShortMaxAge(node);
  form.find("[data-show-when]").each((_index, row) => showWhen(node, $(row)));
}

/** Adds an option for each context store of this Node-RED to the places where a poll can store its position. */
function addStores(select: JQuery): void {
  for (const name of RED.settings.context?.stores ?? [])
    $("<option>").val(`context:${name}`).text(sharedText("option.store.context", { name })).appendTo(select);
}

/** `data-own-type` is a type that only this node has; `data-listed-type`, one that has our list in place of the editor's. `data-icon` is that of a plain text, and makes a typed input even of a field that takes nothing else. */
function makeTypedInput(node: EditorNode, property: string): void {
  const field = fieldOf(node, property);
  const typeField = fieldOf(node, `${property}Type`);
  const icon = field.attr("data-icon");
  // The editor translates only after it has copied the placeholder.
  const [, hint] = /^\[placeholder\](.+)/.exec(field.attr("data-i18n") ?? "") ?? [];
  if (hint !== undefined) field.attr("placeholder", node._(hint));
  const text: AnyType = icon === undefined ? "str" : { value: "str", label: labelText(field), icon };
  if (typeField.length === 0) {
    if (icon !== undefined) field.typedInput({ types: [text] });
    return;
  }
  const types = (field.attr("data-types") ?? ANY_TYPE).split(",") as WidgetTypedInputType[];
  const own = field.attr("data-own-type") ?? "";
  const listed = field.attr("data-listed-type");
  const offered = types.map((type): AnyType => {
    if (type === "str") return text;
    return type === listed ? { value: type, label: `${type}.` } : type;
  });
  // A type of the node's own has a name in its catalogue, and no value.
  if (own !== "") offered.push({ value: own, label: node._(`option.${own}`), hasValue: false });
  const stored = node[`${property}Type`];
  const isUnknown = typeof stored === "string" && ![...types, own, ""].includes(stored);
  // A type that this version does not offer is kept: Node-RED 5 would replace it by the first one.
  if (isUnknown) offered.push({ value: stored, label: stored });
  field.typedInput({ types: offered, typeField });
}

/** A property missing from the flow shows the value that the node uses; an option that this version does not know is added. */
function showStored(field: JQuery, stored: unknown, fallback: unknown): void {
  if (stored === undefined) {
    if (field.is(":checkbox")) field.prop("checked", fallback === true);
    else field.val(String(fallback));
  } else if (typeof stored === "string" && field.is("select")) {
    const isKnown = field.find("option").is((_index, option) => $(option).val() === stored);
    if (!isKnown) $("<option>").val(stored).text(stored).appendTo(field);
    field.val(stored);
  }
}

/** Names the controls that the editor draws in place of our fields or beside them, so that a screen reader can tell them apart. */
function nameControls(node: EditorNode, form: JQuery): void {
  // A screen reader would read an icon as a character.
  form.find("label > i").attr("aria-hidden", "true");
  form.find(".red-ui-typedInput-container").each((_index, widget) => nameTypedInput($(widget)));
  // The unit is read out with the field in front of it.
  form.find(".energy-unit").each((index, unit) => {
    const id = `energy-unit-${index}`;
    describeBy($(unit).attr("id", id).prev("input"), id);
  });
  for (const [property, { type, required }] of Object.entries(node._def.defaults))
    if (type !== undefined) prepareConfigButtons(fieldOf(node, property), required);
}

/** The label of the row belongs to the original field, which is hidden. */
function nameTypedInput(widget: JQuery): void {
  const label = labelText(widget);
  widget.find("input, button").attr("aria-label", label);
  describeBy(widget.find(".red-ui-typedInput-input"), widget.prev().attr("aria-describedby") ?? "");
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
  if (!required) select.find(`option[value='${ADD_NEW}']`).text(RED._("editor.inputs.none"));
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

/** `data-show-when="mode=latest,new"` shows the row while the field has one of these values; `!=` inverts the test. */
function showWhen(node: EditorNode, row: JQuery): void {
  const [, property = "", sign, values = ""] =
    /^(\w+)(!?=)(.+)$/.exec(String(row.attr("data-show-when"))) ?? [];
  followFields(node, () => {
    row.toggle(values.split(",").includes(String(currentValue(node, property))) === (sign === "="));
  });
}

/** Call this in oneditsave, before the editor reads the fields: numbers are stored as numbers, and ${NAME} as it was typed. */
export function saveNumbers(node: EditorNode): void {
  for (const property of Object.keys(node._def.defaults)) {
    const field = fieldOf(node, property);
    if (!field.is(".energy-number")) continue;
    const number = decimalOf(field.val());
    if (number !== null && String(field.val()).trim() !== String(node[property])) node[property] = number;
  }
}
