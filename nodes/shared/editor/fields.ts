// Finds the form fields of a dialog: Node-RED names them after the property, config nodes with a prefix of their own.

export function fieldOf(node: EditorNode, property: string): JQuery {
  const prefix = node._def.category === "config" ? "node-config-input" : "node-input";
  return $(`#${prefix}-${property}`);
}

export function fieldValue(field: JQuery): unknown {
  return field.is(":checkbox") ? field.prop("checked") : field.val();
}

export function setField(field: JQuery, value: unknown): void {
  if (field.is(":checkbox")) field.prop("checked", value === true);
  else field.val(String(value));
}

const NODE = "energySitesNode";

/** Remembers which node a form is about. */
export function claimForm(form: JQuery, node: EditorNode): void {
  form.data(NODE, node);
}

/** Whether the field stands in the open dialog of this node. */
export function isInDialog(node: EditorNode, property: string): boolean {
  return fieldOf(node, property).closest("form").data(NODE) === node;
}

/** What the node's open dialog shows, or else what the node holds: a check may depend on a field just changed. */
export function currentValue(node: EditorNode, property: string): unknown {
  return isInDialog(node, property) ? fieldValue(fieldOf(node, property)) : node[property];
}
