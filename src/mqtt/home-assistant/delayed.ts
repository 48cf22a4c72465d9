// What is published later, each item after the same delay. Times in milliseconds.

export class Delayed<Item> {
  readonly #delay: number;
  readonly #items = new Map<string, { since: number; item: Item }>();

  constructor(delay: number) {
    this.#delay = delay;
  }

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** Replaces an earlier item with the same key. */
  set(key: string, now: number, item: Item): void {
    this.#items.delete(key);
    this.#items.set(key, { since: now, item });
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  /**
   * The items that are due, each returned once, in the order in which they were set. A clock that has been set back does not
   * delay them by as much.
   */
  popDue(now: number): Item[] {
    const due = [...this.#items].filter(([, { since }]) => Math.abs(now - since) >= this.#delay);
    for (const [key] of due) this.#items.delete(key);
    return due.map(([, { item }]) => item);
  }

  /** When the next item is due; undefined = never. */
  next(): number | undefined {
    let first: number | undefined;
    for (const { since } of this.#items.values()) first = Math.min(since, first ?? since);
    return first === undefined ? undefined : first + this.#delay;
  }
}
