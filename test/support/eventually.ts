// Waits for what another process is about to do.
import { setTimeout as pause } from "node:timers/promises";

const INTERVAL = 100;

/** The first answer that is not undefined. Rejects with the text when there is none in time (milliseconds). */
export async function eventually<T>(
  what: () => string,
  look: () => Promise<T | undefined>,
  timeout = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeout;
  do {
    const found = await look();
    if (found !== undefined) return found;
    await pause(INTERVAL);
  } while (Date.now() < deadline);
  throw new Error(what());
}
