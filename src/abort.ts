// What tells work that it is no longer wanted: an AbortSignal, or something cheaper for what is made with each request.

/** What work watches, with `onAbort`. */
export type Abortable = AbortSignal | AbortFlag;

/** An AbortController and its signal in one, at a small part of the cost. */
export class AbortFlag {
  #isAborted = false;
  /** For `onAbort` only. */
  readonly actions = new Set<() => void>();
  /** As an AbortSignal has one. */
  readonly reason = undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    for (const action of this.actions) action();
    this.actions.clear();
  }
}

/** One for each signal: signals live long, and adding a listener to one for each request costs more than all of this. */
const flags = new WeakMap<AbortSignal, AbortFlag>();

/** Calls `abort` when the signal aborts, or immediately if it already has. Returns a function that cancels this. */
export function onAbort(signal: Abortable, abort: () => void): () => void {
  if (signal.aborted) {
    abort();
    return () => undefined;
  }
  const { actions } = signal instanceof AbortFlag ? signal : flagOf(signal);
  actions.add(abort);
  return () => actions.delete(abort);
}

function flagOf(signal: AbortSignal): AbortFlag {
  const known = flags.get(signal);
  if (known) return known;
  const flag = new AbortFlag();
  flags.set(signal, flag);
  signal.addEventListener("abort", () => flag.abort(), { once: true });
  return flag;
}
