// Abortable waits that leave nothing behind that would run later.
import { type Abortable, onAbort } from "./abort";
import { AbortedError, EnergyError } from "./errors";

/** How long work may take. Without an `error`, running out of time throws AbortedError. */
export interface TimeLimit {
  ms: number;
  error?: () => EnergyError;
}

/**
 * Runs work with a signal that aborts when any of the given signals does, or when time runs out. Does not wait for work
 * that ignores its signal.
 *
 * AbortSignal.any and AbortSignal.timeout are too costly per request: on Node.js 20, `any` leaks a reference on a
 * long-lived source signal (and takes nine times as long), and `timeout` keeps its timer until it fires.
 * @throws AbortedError when a signal aborts, the limit's error when time runs out, and whatever the work throws
 */
export async function withSignal<T>(
  signals: readonly (Abortable | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
  limit?: TimeLimit,
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
export function waitFor<T>(promise: Promise<T>, signal: Abortable): Promise<T> {
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

/** Resolves after `ms` milliseconds, or rejects with AbortedError as soon as the signal aborts. */
export function sleep(ms: number, signal: Abortable): Promise<void> {
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

/** The time limit's own error; any other abort reason is unknown, and becomes AbortedError. */
function errorOf({ reason }: Abortable): Error {
  return reason instanceof EnergyError ? reason : new AbortedError();
}
