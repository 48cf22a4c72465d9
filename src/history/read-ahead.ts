// Runs several reads in parallel and passes on their results in order, with bounded memory.

/**
 * Keeps at most `ahead` reads in flight or waiting to be consumed; the next starts once a result has been consumed. A read
 * that fails throws in its turn, after all results before it have been consumed.
 * @param ahead asked before each start
 */
export async function readAhead<Item, Result>(
  items: readonly Item[],
  ahead: () => number,
  read: (item: Item) => Promise<Result>,
  consume: (result: Result) => Promise<void>,
): Promise<void> {
  const started: Promise<Result>[] = [];
  let next = 0;
  while (next < items.length || started.length > 0) {
    while (next < items.length && started.length < ahead()) {
      const result = read(items[next] as Item);
      // Awaited later, or never: until then a failure must not count as unhandled.
      result.catch(() => undefined);
      started.push(result);
      next += 1;
    }
    await consume((await started.shift()) as Result);
  }
}
