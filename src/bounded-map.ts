// Keeps maps of what messages, dialogs or the service name from growing without limit.

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
