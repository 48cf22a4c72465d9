// Finds the form fields of a dialog: Node-RED names them after the property, with a different prefix for config nodes.

/** What the field of a config node holds while none is selected. */
export const ADD_NEW = "_ADD_";

export function fieldOf(node: EditorNode, property: string): JQuery {
  const prefix = node._def.category === "config" ? "node-config-input" : "node-input";
  return $(`#${prefix}-${property}`);
}

export function formOf(node: EditorNode): JQuery {
  return fieldOf(node, "name").closest("form");
}

export function fieldValue(field: JQuery): unknown {
  return field.is(":checkbox") ? field.prop("checked") : field.val();
}

export function setField(field: JQuery, value: unknown): void {
  if (field.is(":checkbox")) field.prop("checked", value === true);
  else field.val(String(value));
}

const NODE = "energySitesNode";

/** Records which node a form belongs to. */
export function claimForm(form: JQuery, node: EditorNode): void {
  form.data(NODE, node);
}

/** Whether the field is in the open dialog of this node. */
export function isInDialog(node: EditorNode, property: string): boolean {
  return fieldOf(node, property).closest("form").data(NODE) === node;
}

/** The value in the node's open dialog, or else the stored one: validation may depend on a field just edited. */
export function currentValue(node: EditorNode, property: string): unknown {
  return isInDialog(node, property) ? fieldValue(fieldOf(node, property)) : node[property];
}

/** The same as a trimmed text; "" if it is neither text nor a number. */
export function currentText(node: EditorNode, property: string): string {
  const value = currentValue(node, property);
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}
