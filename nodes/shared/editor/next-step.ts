// After a new node that reads is saved, offers to insert the node that mostly comes next, wired to its first output.
import { addNode } from "./new-nodes";
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

/** The editor saves the node after `oneditsave`. */
export function offerNext(node: EditorNode, isNew: boolean): void {
  if (isNew) setTimeout(() => offer(node));
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
