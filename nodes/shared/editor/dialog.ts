// Adds behaviour to a dialog based on its form: typed inputs, conditional rows, and values that must be preserved.
import type { WidgetTypedInputType, WidgetTypedInputTypeDefinition } from "node-red__editor-client";
import { nameControls } from "./control-names";
import { addDiagnostics } from "./diagnostics";
import { showErrors } from "./field-errors";
import { claimForm, fieldOf, fieldValue, setField } from "./fields";
import { rememberAccount } from "./pickers/account-choice";
import { preparePickers } from "./pickers/pickers";
import { makeValueInput } from "./pickers/value-picker";
import { addStores } from "./stores";
import { sharedText } from "./texts";

/** The types of a typed input without a `data-types` attribute. */
const ANY_TYPE = "str,msg,flow,global,env,jsonata";

type AnyType = WidgetTypedInputType | WidgetTypedInputTypeDefinition;

/** Fields with a list of the account's sites and systems. */
const PICKED: Record<string, { label: string; icon: string }> = {
  siteId: { label: "label.siteId", icon: "fa fa-map-marker" },
  systemId: { label: "label.systemId", icon: "fa fa-cube" },
};

/** Call this first in oneditprepare. */
export function prepareDialog(node: EditorNode): void {
  const form = fieldOf(node, "name").closest("form");
  claimForm(form, node);
  // A screen reader would read an icon as a character.
  form.find("label > i").attr("aria-hidden", "true");
  addStores(fieldOf(node, "store"));
  for (const [property, { type, value, absent }] of Object.entries(node._def.defaults)) {
    if (type === undefined) showStored(fieldOf(node, property), node[property], absent ?? value);
  }
  for (const property of Object.keys(node._def.defaults)) {
    const typeField = fieldOf(node, `${property}Type`);
    if (typeField.length === 0) continue;
    const field = fieldOf(node, property);
    const types = (field.attr("data-types") ?? ANY_TYPE).split(",") as WidgetTypedInputType[];
    field.typedInput({ types: types.map((type) => textType(property, type)), typeField });
  }
  if (fieldOf(node, "path").length > 0) makeValueInput(fieldOf(node, "path"));
  nameControls(node, form);
  preparePickers(node);
  showErrors(node);
  addDiagnostics(node, form);
  form.find("[data-show-when]").each((_index, row) => showWhen(node, $(row)));
}

/** What a text stands for where the field has a list. */
function textType(property: string, type: WidgetTypedInputType): AnyType {
  const picked = type === "str" ? PICKED[property] : undefined;
  return picked ? { value: "str", label: sharedText(picked.label), icon: picked.icon } : type;
}

/** A property missing from the flow shows the value that the node uses; an option unknown to this version is kept. */
function showStored(field: JQuery, stored: unknown, fallback: unknown): void {
  if (stored === undefined) {
    setField(field, fallback);
  } else if (typeof stored === "string" && field.is("select")) {
    const isKnown = field.find("option").is((_index, option) => $(option).val() === stored);
    if (!isKnown) $("<option>").val(stored).text(stored).appendTo(field);
    field.val(stored);
  }
}

/** `data-show-when="mode=latest,new"` shows the row while the field has one of these values; `!=` inverts the test. */
function showWhen(node: EditorNode, row: JQuery): void {
  const [, property = "", sign, values = ""] =
    /^(\w+)(!?=)(.+)$/.exec(String(row.attr("data-show-when"))) ?? [];
  const field = fieldOf(node, property);
  const update = (): void => {
    row.toggle(values.split(",").includes(String(fieldValue(field))) === (sign === "="));
  };
  field.on("change", update);
  update();
}

/** Call this in oneditsave: numbers are stored as numbers, and ${NAME} as it was typed. */
export function saveNumbers(node: EditorNode): void {
  rememberAccount(node, fieldOf(node, "account").val());
  for (const property of Object.keys(node._def.defaults)) {
    const field = fieldOf(node, property);
    if (!field.is(".energy-number")) continue;
    const text = String(field.val()).trim();
    if (text !== "" && Number.isFinite(Number(text)) && text !== String(node[property]))
      node[property] = Number(text);
  }
}
