// history: the records of any time range, or of local days, of one or all systems on output 1; progress on output 2.
import type { NodeMessage } from "node-red";
import { HISTORY } from "./settings";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { serviceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { type HistoryNode, readHistory } from "./read-history";

const CANCELLED: StatusText = { key: "history:cancelled", fill: "grey", shape: "ring" };

/** Lets a message with `cancel` stop the current run and all queued ones without waiting in the queue itself. */
class Cancellation {
  /** Replaced when a message cancels: what comes later goes on. */
  #stop = new AbortController();
  /** What stops each message that is queued or being processed. */
  readonly #signals = new WeakMap<NodeMessage, AbortSignal>();

  /** Called for each incoming message. */
  readonly intercepts = (message: NodeMessage): boolean => {
    if (message["cancel"] !== true) {
      this.#signals.set(message, this.#stop.signal);
      return false;
    }
    this.stop();
    this.#stop = new AbortController();
    return true;
  };

  readonly stop = (): void => this.#stop.abort();

  /** Performs the work of a run. The signal aborts when the run is cancelled, or when the node is closed. */
  readonly guard: HistoryNode["guard"] = async (run, work) => {
    const stop = this.#signals.get(run.message) ?? this.#stop.signal;
    try {
      return await work(stop);
    } catch (error) {
      if (stop.aborted && !run.signal.aborted) return CANCELLED;
      throw error;
    }
  };
}

export default serviceNode("energy-history", HISTORY, (RED, node, settings) => {
  const cancellation = new Cancellation();
  const { values } = settings;
  const series = new SeriesRuns(RED, node, values, { pc1: values.source === "rgm" });
  const shared = { RED, node, settings, series, guard: cancellation.guard };
  return {
    settings,
    kind: "history",
    work: (run) => cancellation.guard(run, (stop) => readHistory(shared, run, stop)),
    // A payload that cannot be read is a fault only where it is the range.
    ...(values.range === "message" && { ignored: ["energy"] }),
    taken: ["cancel"],
    intercept: cancellation.intercepts,
    stop: cancellation.stop,
  };
});
