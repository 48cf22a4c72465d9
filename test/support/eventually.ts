// Waits for something that another process does.
import { setTimeout as timeout } from "node:timers/promises";

const INTERVAL = 100;

/** Never faked. */
const pause = timeout;
const now = performance.now.bind(performance);

/** Resolves with the first result that is not undefined. Rejects with the text after the limit (in milliseconds). */
export async function eventually<T>(
  describeTimeout: () => string,
  read: () => Promise<T | undefined>,
  limit = 60_000,
): Promise<T> {
  const deadline = now() + limit;
  do {
    const found = await read();
    if (found !== undefined) return found;
    await pause(INTERVAL);
  } while (now() < deadline);
  throw new Error(describeTimeout());
}
