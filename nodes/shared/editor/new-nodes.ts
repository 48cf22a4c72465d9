// New nodes: they take an account by themselves, report no empty fields before their dialog is saved, and offer what comes next.
import { fieldOf, followFields, linkButton, rowOf } from "./dialog/fields";
import { sharedText } from "./texts";

/** The type, and where the editor keeps which one was used last. */
const ACCOUNT = "energy-account";

/** By type, with the palette's names, which are the same in all languages. */
const NEXT = {
  debug: "debug",
  "energy-threshold": "threshold",
  "energy-mqtt": "mqtt readings",
  "energy-points": "points",
} as const;
/** The default output of a node. */
const OUTPUT = 0;
const SHOWN = 20_000;
/** Pixels between the middles of two nodes on the canvas. */
const [RIGHT, DOWN] = [240, 60];

/** The ids of nodes that were dropped from the palette and whose dialog has not been saved. */
const neverSaved = new Set<unknown>();

/** Of a node dropped from the palette: takes the only account, or the one used last, so that the user need not choose one each time. */
export function takeAccount(node: EditorNode): void {
  // The editor marks pasted and imported nodes as changed before it calls onadd, and new ones after it.
  if (node.changed) return;
  neverSaved.add(node.id);
  if (node["account"] === undefined) return;
  const ids = accountIds(node.z);
  const last = RED.settings.getLocal(ACCOUNT);
  const taken = ids.length === 1 ? ids[0] : ids.find((id) => id === last);
  if (taken !== undefined) node["account"] = taken;
}

/** The accounts that a node of a flow may use: global ones, and those of the flow. */
export function accountIds(flow?: string): string[] {
  const ids: string[] = [];
  RED.nodes.eachConfig(({ id, type, z }) => {
    if (type === ACCOUNT && (!z || z === flow)) ids.push(id);
  });
  return ids;
}

/** Call this in oneditsave. The next new node takes the same account. */
export function markSaved(node: EditorNode, account: unknown): void {
  neverSaved.delete(node.id);
  if (typeof account === "string" && RED.nodes.node(account)) RED.settings.setLocal(ACCOUNT, account);
}

/** Whether a node from the palette has not been set up yet, even if it has been deployed. */
export function isNeverSaved(node: EditorNode): boolean {
  return neverSaved.has(node.id);
}

/** Whether errors in the open dialog wait until their field was left. */
export function isNew(node: EditorNode): boolean {
  if (node._def.category === "config") return !RED.nodes.node(node.id);
  return isNeverSaved(node) && node.changed === true;
}

/** Adds a node as if the user had, with its defaults, and wired to the first output of another. */
function addNode(properties: { type: string; [name: string]: unknown }, source?: EditorNode): EditorNode {
  const id = RED.nodes.id();
  const dirty = RED.nodes.dirty();
  const [node] = RED.nodes.import([{ ...properties, id, wires: [] }], { applyNodeDefaults: true }).nodes;
  if (!node) throw new Error(`The editor has not added ${properties.type}`);
  node._def.onadd?.call(node);
  node.changed = true;
  const links = source ? [{ source, sourcePort: 0, target: node }] : [];
  for (const link of links) RED.nodes.addLink(link);
  RED.history.push({ t: "add", nodes: [id], links, dirty });
  RED.nodes.dirty(true);
  RED.editor.validateNode(node);
  return node;
}

/** Where there is no account at all, a node's dialog offers one that needs no credentials. */
export function offerDemo(node: EditorNode): void {
  const select = fieldOf(node, "account");
  const link = linkButton(sharedText("account.useDemo"));
  const line = $("<div>", { class: "energy-demo energy-row" }).append(link).appendTo(rowOf(select));
  link.on("click", () => {
    const { id } = addNode({ type: ACCOUNT, service: "demo" });
    $("<option>").val(id).text(sharedText("option.service.demo")).appendTo(select);
    select.val(id).trigger("change");
  });
  followFields(node, () => void line.toggle(accountIds(node.z).length === 0));
}

/** After a new node that reads is saved, offers to insert the node that mostly comes next. The editor saves it after `oneditsave`. */
export function offerNext(node: EditorNode, isFirstSave: boolean): void {
  if (isFirstSave) setTimeout(() => offer(node));
}

function offer(node: EditorNode): void {
  if (!RED.nodes.node(node.id) || RED.nodes.getNodeLinks(node.id, OUTPUT).length > 0) return;
  const notification = RED.notify($("<p>").text(sharedText("next.title")), {
    id: "energy-sites-next",
    timeout: SHOWN,
    buttons: Object.entries(NEXT).map(([type, text]) => ({
      text,
      click: () => {
        notification.close();
        insert(node, type);
      },
    })),
  });
}

/** Right of the source, wired to it. */
function insert(source: EditorNode, type: string): void {
  const x = Number(source["x"]) + RIGHT;
  let y = Number(source["y"]);
  const taken: number[] = [];
  RED.nodes.eachNode((node) => {
    if (node.z === source.z && Math.abs(Number(node["x"]) - x) < RIGHT) taken.push(Number(node["y"]));
  });
  while (taken.some((row) => Math.abs(row - y) < DOWN / 2)) y += DOWN;
  const added = addNode({ type, name: "", z: source.z, x, y }, source);
  RED.view.select({ nodes: [added] });
  RED.view.redraw(true);
  // Its limits are to be filled in.
  if (type === "energy-threshold") RED.editor.edit(added);
}
