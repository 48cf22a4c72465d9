// Gives a node that is dropped from the palette an account, so that the user need not choose one each time.
const LAST_USED = "energy-account";

/** The ids of nodes that were dropped from the palette and whose dialog was not saved yet. */
const fresh = new Set<unknown>();

/** Call this in onadd: takes the only account, or the one used last. A node that is pasted or imported keeps its own. */
export function takeAccount(this: EditorNode): void {
  // The editor marks pasted and imported nodes as changed before it calls onadd, and new ones after it.
  if (this["changed"]) return;
  fresh.add(this["id"]);
  const ids: string[] = [];
  RED.nodes.eachConfig(({ id, type, z }) => {
    if (type === "energy-account" && (!z || z === this["z"])) ids.push(id);
  });
  const last = String(RED.settings.getLocal(LAST_USED));
  if (ids.length === 1 || ids.includes(last)) this["account"] = ids.length === 1 ? ids[0] : last;
}

/** Call this in oneditsave: the next new node takes the same account. */
export function rememberAccount(node: EditorNode, account: unknown): void {
  fresh.delete(node["id"]);
  if (typeof account === "string" && RED.nodes.node(account)) RED.settings.setLocal(LAST_USED, account);
}

/** Whether nobody has configured the node yet. */
export function isFresh(node: EditorNode): boolean {
  return fresh.has(node["id"]);
}
