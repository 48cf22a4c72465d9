// Does something for each of many items without holding the event loop.
import { setImmediate } from "node:timers/promises";

/** How long the items of one turn may take, in milliseconds. */
const MAX_TURN = 10;

/** The first turn is synchronous. */
export async function inTurns<T>(items: readonly T[], action: (item: T) => void): Promise<void> {
  let start = performance.now();
  for (const item of items) {
    if (performance.now() - start > MAX_TURN) {
      await setImmediate();
      start = performance.now();
    }
    action(item);
  }
}
