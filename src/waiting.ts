// Waiting that can be given up.
import { AbortedError } from "./errors";

/** Settles as the promise does, or rejects with AbortedError as soon as the signal aborts; the promise goes on. */
export async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new AbortedError();
  let giveUp = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new AbortedError());
    signal.addEventListener("abort", giveUp);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Resolves after a time in ms. Rejects with AbortedError as soon as the signal aborts, and leaves no timer. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await waitFor(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
