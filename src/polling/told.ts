// Remembers what has been told, so that it is told once.

/** Beyond this, nothing is told. */
const MAX_TOLD = 2000;

export class Told {
  readonly #ids = new Set<string>();

  /** Whether this is new; it is not new again. */
  isNew(id: string): boolean {
    if (this.#ids.has(id) || this.#ids.size >= MAX_TOLD) return false;
    this.#ids.add(id);
    return true;
  }
}
