// The routes through which the editor gets the diagnostics of an account or a node.
import type { NodeAPI } from "node-red";
import { adminRoute } from "../admin/admin-route";

export function registerDiagnosticsRoutes(RED: NodeAPI): void {
  const register = (kind: "accounts" | "nodes", reportOf: (id: string) => Promise<string>): void =>
    adminRoute(RED, {
      method: "get",
      path: `energy-sites/${kind}/:id/diagnostics`,
      permission: "energy-account.read",
      handle: async ({ params }) => ({ text: await reportOf(params["id"] ?? "") }),
    });
  // Loaded on the first request, so that it does not slow down Node-RED's start.
  register("accounts", (id) => {
    const { accountReport }: typeof import("./build-report") = require("./build-report");
    return accountReport(RED, id);
  });
  register("nodes", (id) => {
    const { nodeReport }: typeof import("./build-report") = require("./build-report");
    return nodeReport(RED, id);
  });
}
