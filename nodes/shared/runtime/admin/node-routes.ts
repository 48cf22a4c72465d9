// The admin routes of every node: its diagnostics, and its button in the editor.
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../../src/errors";
import { isServiceNode } from "../service/service-node";
import { adminRoute } from "./admin-route";

export function registerNodeRoutes(RED: NodeAPI): void {
  for (const kind of ["accounts", "nodes"] as const)
    adminRoute(RED, {
      method: "get",
      path: `energy-sites/${kind}/:id/diagnostics`,
      permission: "energy-account.read",
      handle: async ({ params: { id = "" } }) => {
        // Loaded on the first request, so that it does not slow down Node-RED's start.
        const {
          reportOf,
        }: typeof import("../diagnostics/build-report") = require("../diagnostics/build-report");
        return { text: await reportOf(RED, kind, id) };
      },
    });
  adminRoute(RED, {
    method: "post",
    path: "energy-sites/nodes/:id/run",
    permission: "energy-account.write",
    handle: async ({ params }) => run(RED.nodes.getNode(params["id"] ?? "")),
  });
}

/**
 * The node queues the run as it does for any message, here an empty one. The route must not start any other node of the flow.
 * Throws ConfigError.
 */
function run(node: Node | null): object {
  if (!node || !isServiceNode(node)) throw new ConfigError("nodeNotDeployed");
  node.receive({});
  return {};
}
