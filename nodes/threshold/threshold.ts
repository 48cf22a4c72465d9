// threshold: the value rose to high (output 1), fell to low (output 2), or is not safe to act on (output 3).
import type { NodeAPI } from "node-red";
import { adminRoute } from "../shared/runtime/admin/admin-route";
import { nodeType, startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { Decisions } from "./decisions";
import { THRESHOLD } from "./settings";

export default function register(RED: NodeAPI): void {
  /** By id of the node; while it is deployed again, those of its predecessor. */
  const deployed = new Map<string, Decisions>();
  // For the dialog, which shows where the last values are between the limits.
  adminRoute(RED, {
    method: "get",
    path: "thresholds/:id/values",
    handle: async ({ id }) => deployed.get(id)?.values ?? [],
  });

  nodeType("energy-threshold", THRESHOLD, (_RED, node, settings) => {
    const decisions = new Decisions(RED, node, settings, (work) => run(work));
    const run = startLifecycle(RED, node, {
      work: (input) => decisions.handle(input.message, input),
      start: () => {
        const records = deployed.get(node.id)?.records ?? [];
        deployed.set(node.id, decisions);
        return decisions.start(records);
      },
      stop: (isRemoved) => {
        if (isRemoved) deployed.delete(node.id);
        decisions.stop();
      },
      close: decisions.close,
    });
  })(RED);
}
