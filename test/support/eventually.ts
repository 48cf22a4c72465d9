// Waits for something that another process does.
import { setTimeout as pause } from "node:timers/promises";

const INTERVAL = 100;

/** Resolves with the first result that is not undefined. Rejects with the text after the timeout (in milliseconds). */
export async function eventually<T>(
  describeTimeout: () => string,
  read: () => Promise<T | undefined>,
  timeout = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeout;
  do {
    const found = await read();
    if (found !== undefined) return found;
    await pause(INTERVAL);
  } while (Date.now() < deadline);
  throw new Error(describeTimeout());
}
