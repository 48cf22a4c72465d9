// history: the records of any time range, or of local days, on output 1; progress on output 2.
import type { Node, NodeAPI } from "node-red";
import { startServiceNode } from "../shared/runtime/service-node";
import { Cancellation } from "./cancellation";
import { type HistoryDef, readHistory } from "./read-history";

export default function register(RED: NodeAPI): void {
  function History(this: Node, config: HistoryDef): void {
    RED.nodes.createNode(this, config);
    const cancellation = new Cancellation();
    startServiceNode(RED, this, config, {
      kind: "history",
      work: (run) => cancellation.guard(run, (stop) => readHistory(RED, this, config, run, stop)),
      // The payload says what to read.
      ignored: ["energy"],
      intercept: cancellation.intercepts,
      isScheduled: false,
    });
  }

  RED.nodes.registerType("energy-history", History);
}
