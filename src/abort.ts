// Waiting that an AbortSignal ends, and that leaves nothing behind that would run later.
import { setMaxListeners } from "node:events";
import { AbortedError, EnergyError } from "./errors";

/** Calls `action` when the signal aborts, or immediately if it already has. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action();
    return () => undefined;
  }
  // Many requests may wait for one signal; Node.js warns of more than ten.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", action, { once: true });
  return () => signal.removeEventListener("abort", action);
}

/**
 * Runs work with a signal that aborts when any of the given signals does, or when time runs out. Does not wait for work
 * that ignores its signal.
 *
 * AbortSignal.any and AbortSignal.timeout are too costly per request: on Node.js 20, `any` leaks a reference on a
 * long-lived source signal, and `timeout` keeps its timer until it fires.
 * @param limit how long the work may take; without an `error`, running out of time throws AbortedError
 * @throws AbortedError when a signal aborts, the limit's error when time runs out, and whatever the work throws
 */
export async function withSignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
  limit?: { ms: number; error?: () => EnergyError },
): Promise<T> {
  if (signals.some((signal) => signal?.aborted)) throw new AbortedError();
  const combined = new AbortController();
  const abort = (): void => combined.abort();
  const cancels = signals.map((signal) => signal && onAbort(signal, abort));
  const timer = limit && setTimeout(() => combined.abort(limit.error?.()), limit.ms);
  try {
    return await waitFor(work(combined.signal), combined.signal);
  } finally {
    clearTimeout(timer);
    for (const cancel of cancels) cancel?.();
  }
}

/** Settles with the promise, or rejects with AbortedError as soon as the signal aborts; the work itself continues. */
export function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // The time limit's own error; any other abort reason is unknown.
    const error = (): Error => (signal.reason instanceof EnergyError ? signal.reason : new AbortedError());
    const cancel = onAbort(signal, () => reject(error()));
    void promise.then(resolve, reject).then(cancel);
  });
}

/** Resolves after `ms` milliseconds, or rejects with AbortedError as soon as the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return waitFor(elapsed, signal).finally(() => clearTimeout(timer));
}
