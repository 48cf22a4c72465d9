// Remembers what has been reported, so that it is reported only once.

/** Bounds the memory: once this many are known, nothing else is reported. */
const MAX_REPORTED = 2000;

export class Reported {
  readonly #ids = new Set<string>();

  /** Whether the id is new. From then on, it is not. */
  isNew(id: string): boolean {
    if (this.#ids.has(id) || this.#ids.size >= MAX_REPORTED) return false;
    this.#ids.add(id);
    return true;
  }
}
