// Keeps several reads under way and gives their results in order, never more of them than are waited for.

/**
 * Reads the items with up to `ahead` reads under way or waiting to be taken. The next read starts when a result has been
 * worked on. A read that fails throws in its turn, when all before it have been taken.
 */
export async function readAhead<Item, Result>(
  items: readonly Item[],
  ahead: number,
  read: (item: Item) => Promise<Result>,
  take: (result: Result) => Promise<void>,
): Promise<void> {
  const started: Promise<Result>[] = [];
  let next = 0;
  while (next < items.length || started.length > 0) {
    while (next < items.length && started.length < ahead) {
      const result = read(items[next] as Item);
      // It is awaited later, or never: until then its failure is nobody's.
      result.catch(() => undefined);
      started.push(result);
      next += 1;
    }
    // No variable holds the promise meanwhile: its result can go as soon as it is worked on.
    await take((await started.shift()) as Result);
  }
}
