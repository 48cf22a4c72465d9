// The calls under way of one client, so that closing it gives all of them up.
import { AbortedError } from "../../errors";

export class OpenCalls {
  private readonly calls = new Set<AbortController>();
  private closed = false;

  /** Runs work whose signal aborts when the outer signal does or when the client is closed. */
  async run<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.closed || outer?.aborted === true) throw new AbortedError();
    const call = new AbortController();
    const abort = (): void => call.abort();
    this.calls.add(call);
    outer?.addEventListener("abort", abort);
    try {
      return await work(call.signal);
    } finally {
      outer?.removeEventListener("abort", abort);
      this.calls.delete(call);
    }
  }

  close(): void {
    this.closed = true;
    for (const call of this.calls) call.abort();
  }
}
