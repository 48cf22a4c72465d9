// history: the records of any time range, or of local days, on output 1; progress on output 2.
import type { Node, NodeAPI } from "node-red";
import { settingValue } from "../../src/settings/read";
import { HISTORY } from "./settings";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { kept, readSettings } from "../shared/runtime/base/settings";
import { Cancellation } from "./cancellation";
import { type HistoryDef, readHistory } from "./read-history";

export default function register(RED: NodeAPI): void {
  function History(this: Node, config: HistoryDef): void {
    RED.nodes.createNode(this, config);
    const isFromMessage = settingValue(HISTORY.range, config.range) === "message";
    const settings = kept(() => readSettings(RED, this, HISTORY, config));
    const cancellation = new Cancellation();
    startServiceNode(RED, this, config, {
      table: HISTORY,
      kind: "history",
      work: (run) =>
        cancellation.guard(run, (stop) => readHistory(RED, this, { config, settings }, run, stop)),
      // Unless the node is set to a range, the payload says what to read.
      ignored: isFromMessage ? ["energy"] : ["energy", "payload"],
      intercept: cancellation.intercepts,
      isScheduled: false,
      priority: "backlog",
    });
  }

  RED.nodes.registerType("energy-history", History);
}
