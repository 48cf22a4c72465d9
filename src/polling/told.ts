// Remembers what has been told, so that it is told once.

/** More than this is forgotten, and told again. */
const MAX_TOLD = 1000;

export class Told {
  readonly #ids = new Set<string>();

  /** Whether this is new; it is not new again. */
  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    if (this.#ids.size >= MAX_TOLD) this.#ids.clear();
    this.#ids.add(id);
    return true;
  }
}
