// history: the records of any time range, or of local days, on output 1; progress on output 2.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { HISTORY } from "./settings";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";
import { Cancellation } from "./cancellation";
import { readHistory } from "./read-history";

export default function register(RED: NodeAPI): void {
  function History(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, HISTORY, config);
    const cancellation = new Cancellation();
    startServiceNode(RED, this, {
      settings,
      kind: "history",
      work: (run) => cancellation.guard(run, (stop) => readHistory(RED, this, settings, run, stop)),
      // Unless the node is set to a range, the payload says what to read.
      ignored: settings.values.range === "message" ? ["energy"] : ["energy", "payload"],
      intercept: cancellation.intercepts,
      priority: "backlog",
    });
  }

  RED.nodes.registerType("energy-history", History);
}
