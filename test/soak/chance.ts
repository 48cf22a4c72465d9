// Seeded chance: the same question always has the same answer, in whatever order questions are asked.

export class Chance {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = mix(seed | 0);
  }

  /** A number from 0 to 1 (exclusive) for a question, which is named by whole numbers. */
  of(...question: readonly number[]): number {
    let hash = this.#seed;
    for (const part of question) hash = mix(hash ^ mix(part | 0));
    return (hash >>> 0) / 2 ** 32;
  }

  /** A number between the bounds for a question. */
  between(from: number, to: number, ...question: readonly number[]): number {
    return from + (to - from) * this.of(...question);
  }
}

/** A whole number for a text. */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the bits of the output. */
function mix(value: number): number {
  let hash = (value + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
