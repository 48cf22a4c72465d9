// Finds the form fields of a dialog and what the user sees in their place.

/**
 * The one id that a text names; undefined if it is empty, all, or known only to the runtime.
 * @param type what the text is, such as a property of the message
 */
export function oneId(text: unknown, type: unknown = "str"): string | undefined {
  return type === "str" && typeof text === "string" && !/^\*?$|^\$\(|\$\{/.test(text) ? text : undefined;
}

/** What the field of a config node holds while none is selected. */
export const ADD_NEW = "_ADD_";

/** Node-RED names the fields after the property, with a different prefix for config nodes. */
export function fieldOf(node: EditorNode, property: string): JQuery {
  const prefix = node._def.category === "config" ? "node-config-input" : "node-input";
  return $(`#${prefix}-${property}`);
}

export function formOf(node: EditorNode): JQuery {
  return fieldOf(node, "name").closest("form");
}

/** Calls back now, and whenever a field of the dialog is edited. */
export function followFields(node: EditorNode, update: () => void): void {
  formOf(node).on("change input", update);
  update();
}

/** A row at the end of the dialog. */
export function addRow(node: EditorNode): JQuery {
  return $("<div>", { class: "form-row energy-row" }).appendTo(formOf(node).children().last());
}

/** A button that looks like a link. */
export function linkButton(text: string): JQuery {
  return $("<button>", { type: "button", class: "energy-link" }).text(text);
}

export function rowOf(field: JQuery): JQuery {
  return field.closest(".form-row");
}

/** The text of the row's label. The editor fills in the label only after oneditprepare. */
export function labelText(field: JQuery): string {
  const key = String(rowOf(field).children("label").first().attr("data-i18n"));
  return RED._(key.replace(/^\[\w+\]/, ""));
}

/** The data of a form that is the node it belongs to. */
export const NODE = "energySitesNode";

export function isInDialog(node: EditorNode, property: string): boolean {
  return fieldOf(node, property).closest("form").data(NODE) === node;
}

/** The value in the node's open dialog, or else the stored one: validation may depend on a field just edited. */
export function currentValue(node: EditorNode, property: string): unknown {
  if (!isInDialog(node, property)) return node[property];
  const field = fieldOf(node, property);
  return field.is(":checkbox") ? field.prop("checked") : field.val();
}

/** The same as a trimmed text; of an empty field, the default that the node uses; "" if it is neither text nor a number. */
export function currentText(node: EditorNode, property: string): string {
  return trimmed(currentValue(node, property)) || trimmed(node._def.defaults[property]?.value);
}

function trimmed(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** Adds to what a screen reader reads out after the name of a control. */
export function describeBy(control: JQuery, id: string): void {
  control.attr("aria-describedby", `${control.attr("aria-describedby") ?? ""} ${id}`.trim());
}
