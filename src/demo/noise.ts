// Numbers that look like chance and never change: the same inputs give the same number in every run.

/** A number of [0, 1) made of two whole numbers. */
export function noise(seed: number, position: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ position;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The same, flowing from one whole `position` to the next. */
export function smoothNoise(seed: number, position: number): number {
  const before = Math.floor(position);
  const share = position - before;
  return noise(seed, before) * (1 - share) + noise(seed, before + 1) * share;
}

/** A whole number that stands for a text. */
export function seedOf(text: string): number {
  return Buffer.from(text).reduce((seed, byte) => Math.imul(seed, 31) + byte, 7) | 0;
}
