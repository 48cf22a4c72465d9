// What a dialog does follows from its form: typed inputs, rows that apply only sometimes, values that must not get lost.
import type { WidgetTypedInputType } from "node-red__editor-client";
import { showErrors } from "./field-errors";
import { claimForm, fieldOf, fieldValue, setField } from "./fields";
import { addStores } from "./stores";

/** Of a typed input whose form names no types in `data-types`. */
const ANY_TYPE = "str,msg,flow,global,env,jsonata";

/** Call it first in oneditprepare. */
export function prepareDialog(node: EditorNode): void {
  const form = fieldOf(node, "name").closest("form");
  claimForm(form, node);
  addStores(fieldOf(node, "store"));
  for (const [property, { type, value, absent }] of Object.entries(node._def.defaults)) {
    if (type === undefined) showStored(fieldOf(node, property), node[property], absent ?? value);
  }
  for (const property of Object.keys(node._def.defaults)) {
    const typeField = fieldOf(node, `${property}Type`);
    if (typeField.length === 0) continue;
    const field = fieldOf(node, property);
    const types = (field.attr("data-types") ?? ANY_TYPE).split(",") as WidgetTypedInputType[];
    field.typedInput({ types, typeField });
  }
  showErrors(node);
  form.find("[data-show-when]").each((_index, row) => showWhen(node, $(row)));
}

/** A property that the flow does not have shows what the node takes; a choice that this version does not know stays one. */
function showStored(field: JQuery, stored: unknown, fallback: unknown): void {
  if (stored === undefined) {
    setField(field, fallback);
  } else if (typeof stored === "string" && field.is("select")) {
    const isKnown = field.find("option").is((_index, option) => $(option).val() === stored);
    if (!isKnown) $("<option>").val(stored).text(stored).appendTo(field);
    field.val(stored);
  }
}

/** `data-show-when="mode=latest,new"`: the row shows while the field has one of these values; with `!=`, any other. */
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

/** Call it in oneditsave: the flow file holds numbers as numbers, and ${NAME} as it was written. */
export function saveNumbers(node: EditorNode): void {
  for (const property of Object.keys(node._def.defaults)) {
    const field = fieldOf(node, property);
    if (!field.is(".energy-number")) continue;
    const text = String(field.val()).trim();
    if (text !== "" && Number.isFinite(Number(text)) && text !== String(node[property]))
      node[property] = Number(text);
  }
}
