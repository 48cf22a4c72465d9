// Keeps what is remembered of messages, dialogs and the service from growing without limit.

/** Sets an entry as the newest one, and removes the oldest beyond `max` entries. Returns what was removed, if anything. */
export function setNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  max: number,
): [Key, Value] | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= max || !oldest) return undefined;
  map.delete(oldest[0]);
  return oldest;
}

/** Once this many are known, nothing else is reported. */
const MAX_REPORTED = 2000;

/** Remembers what has been reported, so that it is reported only once. */
export class Reported {
  readonly #ids = new Set<string>();

  /** Whether the id is new. From then on, it is not. */
  isNew(id: string): boolean {
    if (this.#ids.has(id) || this.#ids.size >= MAX_REPORTED) return false;
    this.#ids.add(id);
    return true;
  }
}
