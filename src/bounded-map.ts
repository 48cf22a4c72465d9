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

/** What was reported longest ago is forgotten: it would be reported again, but what is new always is. */
const MAX_REPORTED = 20_000;

/** Remembers what has been reported, so that it is reported only once. */
export class Reported {
  readonly #ids = new Map<string, true>();

  /** Whether the id is new. From then on, it is not. */
  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    setNewest(this.#ids, id, true, MAX_REPORTED);
    return true;
  }
}
