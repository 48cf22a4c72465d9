// Repeatable pseudorandom numbers: the same inputs give the same number in every run.

/** A number in [0, 1), from two whole numbers. */
export function noise(seed: number, position: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ position;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Like `noise`, interpolated between whole values of `position`. */
export function smoothNoise(seed: number, position: number): number {
  const before = Math.floor(position);
  const share = position - before;
  return noise(seed, before) * (1 - share) + noise(seed, before + 1) * share;
}

/** A hash of a text, as a whole number. */
export function seedOf(text: string): number {
  return Buffer.from(text).reduce((seed, byte) => Math.imul(seed, 31) + byte, 7) | 0;
}
