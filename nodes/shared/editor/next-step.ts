// After a new node that reads is saved, offers to insert the node that mostly comes next, wired to its first output.
import { isFresh } from "./new-nodes";
import { paletteNode } from "./palette-node";
import { sharedText } from "./texts";

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

/** For `oneditsave`. */
export function saveThenOffer(this: EditorNode): void {
  const isAdded = isFresh(this);
  paletteNode.oneditsave.call(this);
  // The editor saves the node after this function.
  if (isAdded) setTimeout(() => offer(this));
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

/** As if the user had dragged it in and wired it. */
function insert(source: EditorNode, type: string): void {
  const id = RED.nodes.id();
  const place = { x: Number(source["x"]) + RIGHT, y: freeRow(source) };
  const flow = [{ id, type, z: source.z, name: "", ...place, wires: [] }];
  const [target] = RED.nodes.import(flow, { applyNodeDefaults: true }).nodes;
  if (!target) return;
  target._def.onadd?.call(target);
  target.changed = true;
  const link = { source, sourcePort: OUTPUT, target };
  RED.nodes.addLink(link);
  RED.history.push({ t: "add", nodes: [id], links: [link], dirty: RED.nodes.dirty() });
  RED.nodes.dirty(true);
  RED.editor.validateNode(target);
  RED.view.select({ nodes: [target] });
  RED.view.redraw(true);
  // Its limits are to be filled in.
  if (target.type === "energy-threshold") RED.editor.edit(target);
}

/** Below whatever is right of the node. */
function freeRow(source: EditorNode): number {
  const taken: number[] = [];
  RED.nodes.eachNode(({ z, x, y }) => {
    if (z === source.z && Math.abs(Number(x) - Number(source["x"]) - RIGHT) < RIGHT) taken.push(Number(y));
  });
  let row = Number(source["y"]);
  while (taken.some((y) => Math.abs(y - row) < DOWN / 2 && y !== undefined)) row += DOWN;
  return row;
}
