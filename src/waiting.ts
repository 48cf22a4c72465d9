// Waiting that can be aborted, and that leaves neither a listener nor a timer behind.
import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { AbortedError, EnergyError } from "./errors";

/** How long work may take. Without an error of its own, it ends with AbortedError. */
export interface TimeLimit {
  ms: number;
  error?: () => EnergyError;
}

/** Calls `abort` once, when the signal aborts or at once if it has already; the function returned cancels that. */
export function onAbort(signal: AbortSignal, abort: () => void): () => void {
  if (signal.aborted) {
    abort();
    return () => undefined;
  }
  // Many requests at once may wait for one signal: that is no leak, and Node.js is not to warn of one.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}

/**
 * Runs work with a signal that aborts with the first of the given ones, or when its time is up. It does not wait for work
 * that ignores its signal.
 *
 * AbortSignal.any and AbortSignal.timeout do the same in less code, but not per request: on Node.js 20, `any` leaves a
 * reference at a long-lived source for good (and costs nine times as much), and `timeout` keeps its timer until it elapses.
 * @throws AbortedError when one of the signals aborts, the error of the limit when time is up, and what the work throws
 */
export async function withSignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
  limit?: TimeLimit,
): Promise<T> {
  if (signals.some((signal) => signal?.aborted)) throw new AbortedError();
  const joint = new AbortController();
  const abort = (): void => joint.abort();
  const cancels = signals.map((signal) => signal && onAbort(signal, abort));
  const timer = limit && setTimeout(() => joint.abort(limit.error?.()), limit.ms);
  try {
    return await waitFor(work(joint.signal), joint.signal);
  } finally {
    clearTimeout(timer);
    for (const cancel of cancels) cancel?.();
  }
}

/** Settles as the promise does, or rejects with AbortedError as soon as the signal aborts; the work itself goes on. */
export function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = onAbort(signal, () => reject(errorOf(signal)));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** Resolves after a time in ms, or rejects with AbortedError as soon as the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      cancel();
      resolve();
    }, ms);
    const cancel = onAbort(signal, () => {
      clearTimeout(timer);
      reject(errorOf(signal));
    });
  });
}

/** The error of an elapsed limit; any other reason may come from anywhere, and means: aborted. */
function errorOf({ reason }: AbortSignal): Error {
  return reason instanceof EnergyError ? reason : new AbortedError();
}

/**
 * Resolves once the event loop has turned: the next node of the flow then has what was sent. Throws AbortedError when
 * aborted meanwhile, because then nobody knows whether it has.
 */
export async function eventLoopTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal.aborted) throw new AbortedError();
}
