// history: the records of any time range, or of local days, of one or all systems on output 1; progress on output 2.
import type { NodeMessage } from "node-red";
import { HISTORY } from "./settings";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { serviceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { type HistoryNode, readHistory } from "./read-history";

const CANCELLED: StatusText = { key: "history:cancelled", fill: "grey", shape: "ring" };

export default serviceNode("energy-history", HISTORY, (RED, node, settings) => {
  const { values } = settings;
  const series = new SeriesRuns(RED, node, values, { pc1: values.source === "rgm" });
  /** Stops the current run and all queued ones. Replaced when a message cancels: what comes later goes on. */
  let stop = new AbortController();
  /** What stops each message that is queued or being processed. */
  const signals = new WeakMap<NodeMessage, AbortSignal>();

  /** Performs the work of a run. The signal aborts when the run is cancelled, or when the node is closed. */
  const guard: HistoryNode["guard"] = async (run, work) => {
    const signal = signals.get(run.message) ?? stop.signal;
    try {
      return await work(signal);
    } catch (error) {
      if (signal.aborted && !run.signal.aborted) return CANCELLED;
      throw error;
    }
  };
  return {
    work: (run) => guard(run, (signal) => readHistory({ RED, node, settings, series, guard }, run, signal)),
    // A payload that cannot be read is a fault only where it is the range.
    ...(values.range === "message" && { ignored: ["energy"] }),
    taken: ["cancel"],
    // A message that cancels does not wait in the queue itself.
    intercept(message) {
      if (message["cancel"] !== true) {
        signals.set(message, stop.signal);
        return false;
      }
      stop.abort();
      stop = new AbortController();
      return true;
    },
    stop: () => stop.abort(),
  };
});
