// Lets a message with `cancel` stop the current run and all queued ones without waiting in the queue itself.
import type { NodeMessage } from "node-red";
import { onAbort } from "../../src/abort";
import type { Run } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";

const CANCELLED: StatusText = { key: "history:cancelled", fill: "grey", shape: "ring" };

export class Cancellation {
  /** One for each message that is queued or being processed. */
  readonly #stops = new Map<NodeMessage, AbortController>();

  /** Called for each incoming message. */
  readonly intercepts = (message: NodeMessage): boolean => {
    if (message["cancel"] !== true) {
      this.#stops.set(message, new AbortController());
      return false;
    }
    for (const stop of this.#stops.values()) stop.abort();
    return true;
  };

  /** Performs the work of a run. The signal aborts when the run is cancelled or ends, or when the node is closed. */
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
      // Discard what was read ahead.
      stop.abort();
    }
  }
}
