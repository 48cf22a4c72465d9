// Runs a deployed node when the user presses its button in the editor.
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../../src/errors";
import { adminRoute } from "./admin-route";

/** The nodes with a button. The route must not start any other node of the flow. */
const runnable = new WeakSet<Node>();

export function letRunNow(node: Node): void {
  runnable.add(node);
}

export function registerRunRoute(RED: NodeAPI): void {
  adminRoute(RED, {
    method: "post",
    path: "energy-sites/nodes/:id/run",
    permission: "energy-account.write",
    handle: async ({ params }) => run(RED.nodes.getNode(params["id"] ?? "")),
  });
}

/** The node queues the run as it does for any message, here an empty one. Throws ConfigError. */
function run(node: Node | null): object {
  if (!node || !runnable.has(node)) throw new ConfigError("nodeNotDeployed");
  node.receive({});
  return {};
}
