// What a dialog does follows from its form: typed inputs, rows that apply only sometimes, values that must not get lost.
import { claimForm, fieldOf, fieldValue, setField } from "./fields";
import { addStores } from "./stores";

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
    fieldOf(node, property).typedInput({
      types: ["str", "msg", "flow", "global", "env", "jsonata"],
      typeField,
    });
  }
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

/** `data-show-when="delivery=confirmed"`: the row shows while the field has one of the values after the sign. */
function showWhen(node: EditorNode, row: JQuery): void {
  const [property = "", values = ""] = String(row.attr("data-show-when")).split("=");
  const field = fieldOf(node, property);
  const update = (): void => {
    row.toggle(values.split(",").includes(String(fieldValue(field))));
  };
  field.on("change", update);
  update();
}

/** Call it in oneditsave: the flow file holds numbers as numbers, and ${NAME} as it was written. */
export function saveNumbers(node: EditorNode): void {
  for (const [property, { value }] of Object.entries(node._def.defaults)) {
    if (typeof value !== "number") continue;
    const text = String(fieldOf(node, property).val()).trim();
    if (text !== "" && Number.isFinite(Number(text)) && text !== String(node[property]))
      node[property] = Number(text);
  }
}
