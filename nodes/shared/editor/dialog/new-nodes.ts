// Distinguishes new nodes, whose empty fields are not reported before the user has left them.

/** Nodes whose dialog was closed with Done or Add. */
const saved = new WeakSet<EditorNode>();

export function markSaved(node: EditorNode): void {
  saved.add(node);
}

/** An imported flow may be incomplete too, but its properties are not those of a new node. */
export function isNew(node: EditorNode): boolean {
  if (saved.has(node)) return false;
  if (node._def.category === "config") return !RED.nodes.node(String(node["id"]));
  return node["changed"] === true && hasInitialValues(node);
}

/** A new node may already refer to an account. */
function hasInitialValues(node: EditorNode): boolean {
  return Object.entries(node._def.defaults).every(
    ([property, { type, value }]) =>
      type !== undefined || JSON.stringify(node[property]) === JSON.stringify(value),
  );
}
