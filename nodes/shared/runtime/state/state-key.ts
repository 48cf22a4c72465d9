// Identifies a stored state, whatever characters its ids contain.
import { createHash } from "node:crypto";

/** Identifies a state by its node and more, and is stored in the file in readable form. Unique to each node. */
export interface StateKey {
  nodeId: string;
  [what: string]: string;
}

/** Parses stored data; returns undefined if it is not a valid state. */
export type StateReader<T> = (stored: unknown) => T | undefined;

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
export function digest(key: StateKey): string {
  return hashOf(key).digest("hex").slice(0, 32);
}

/** Stands for a key in every line of a log: 72 bits, so that no two keys of a file share one. */
export function shortDigest(key: Readonly<Record<string, string>>): string {
  return hashOf(key).digest("base64url").slice(0, 12);
}

function hashOf(key: Readonly<Record<string, string>>): ReturnType<typeof createHash> {
  const parts = Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(parts));
}
