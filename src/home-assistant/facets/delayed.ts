// What is published later, each at its time. Times in milliseconds.

export class Delayed<Item> {
  readonly #items = new Map<string, { at: number; item: Item }>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** Replaces an earlier item with the same key. */
  set(key: string, at: number, item: Item): void {
    this.#items.delete(key);
    this.#items.set(key, { at, item });
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  /** The items that are due, each returned once, in the order in which they were set. */
  popDue(now: number): Item[] {
    const due = [...this.#items].filter(([, { at }]) => at <= now);
    for (const [key] of due) this.#items.delete(key);
    return due.map(([, { item }]) => item);
  }

  /** When the next item is due; undefined = never. */
  next(): number | undefined {
    let next: number | undefined;
    for (const { at } of this.#items.values()) next = Math.min(at, next ?? at);
    return next;
  }
}
