// Keeps several reads under way and gives their results in order, never more of them than are waited for.

/**
 * Reads the items with up to `ahead` reads under way or waiting to be taken. The next read starts when a result has been
 * worked on and another is asked for. A read that fails throws in its turn, when all before it have been given.
 */
export async function* readAhead<Item, Result>(
  items: readonly Item[],
  ahead: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const started: Promise<Result>[] = [];
  for (const item of items) {
    const oldest = started.length < ahead ? undefined : started.shift();
    if (oldest) yield await oldest;
    const result = read(item);
    // It is awaited later, or never: until then its failure is nobody's.
    result.catch(() => undefined);
    started.push(result);
  }
  for (const result of started) yield await result;
}
