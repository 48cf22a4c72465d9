// Where the records come from that reach a threshold: found along the wires in the editor.
import { currentText } from "../shared/editor/dialog/fields";
import { AccountLists } from "../shared/editor/pickers/account-lists";

export const PAYLOAD = "payload";
/** The port of a node's inputs, as the editor counts. */
const INPUT = 1;

/** Where the records of a node come from: the system of a deployed or new account. */
interface Source {
  lists: AccountLists;
  siteId: string;
  systemId: string;
}

/** The nodes that read from the service and whose messages reach this one, maybe through others. */
function readersOf(node: EditorNode): EditorNode[] {
  const reached = new Set([node]);
  // A set that grows is visited to its new end.
  for (const one of reached)
    for (const { source } of RED.nodes.getNodeLinks(one.id, INPUT)) reached.add(source);
  return [...reached].filter((one) => one["account"] !== undefined);
}

/** The system whose records reach the node, or the first one of several. Rejects with NoAnswer. */
export async function sourceOf(node: EditorNode): Promise<Source | undefined> {
  const { reader } = readerOf(node);
  if (!reader) return undefined;
  const lists = new AccountLists(() => String(reader["account"]));
  const one = (id: unknown): string | undefined =>
    typeof id === "string" && !/^\*?$|\$\{/.test(id) ? id : undefined;
  const siteId = one(reader["siteId"]) ?? (await lists.sites("")).sites[0]?.siteId;
  if (siteId === undefined) return undefined;
  const systemId = one(reader["systemId"]) ?? (await lists.systems(siteId))[0]?.systemId;
  return systemId === undefined ? undefined : { lists, siteId, systemId };
}

/** The node whose telemetry the threshold decides on, and the path of the one value that it sends, if it sends no record. */
export function readerOf(node: EditorNode): { reader?: EditorNode; path: string } {
  const [reader] = readersOf(node).filter(({ type }) => /-(latest-value|telemetry-poll)$/.test(type));
  return { ...(reader && { reader }), path: typeof reader?.["path"] === "string" ? reader["path"] : "" };
}

/** The path of a record's value in the dialog's field; "" for anything else. */
export function recordPath(node: EditorNode): string {
  const property = currentText(node, "property");
  return property.startsWith(`${PAYLOAD}.`) ? property.slice(PAYLOAD.length + 1) : readerOf(node).path;
}
