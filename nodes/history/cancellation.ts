// Lets a message with `cancel` stop the run under way and those that wait, past the queue that they wait in.
import type { NodeMessage } from "node-red";
import { onAbort } from "../../src/waiting";
import type { Run } from "../shared/runtime/service-node";
import type { StatusText } from "../shared/runtime/status";

const CANCELLED: StatusText = { key: "history:cancelled", fill: "grey", shape: "ring" };

export class Cancellation {
  /** Of every message that is still to be worked on. */
  readonly #stops = new Map<NodeMessage, AbortController>();

  /** Called for each message as it comes in. */
  readonly intercepts = (message: NodeMessage): boolean => {
    if (message["cancel"] !== true) {
      this.#stops.set(message, new AbortController());
      return false;
    }
    for (const stop of this.#stops.values()) stop.abort();
    return true;
  };

  /** Does the work of a run. Its signal aborts when the run is cancelled, when the node is closed, and when it ends. */
  async guard(run: Run, work: (stop: AbortSignal) => Promise<StatusText>): Promise<StatusText> {
    const stop = this.#stops.get(run.message) ?? new AbortController();
    const cancel = onAbort(run.signal, () => stop.abort());
    try {
      return await work(stop.signal);
    } catch (error) {
      if (stop.signal.aborted && !run.signal.aborted) return CANCELLED;
      throw error;
    } finally {
      cancel();
      this.#stops.delete(run.message);
      // What was read ahead is not needed any more.
      stop.abort();
    }
  }
}
