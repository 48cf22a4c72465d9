// Identifies a stored state, whatever characters its ids contain.
import { createHash } from "node:crypto";

/** Identifies a state by its node and more, and is stored in the file in readable form. Unique to each node. */
export interface StateKey {
  nodeId: string;
  [what: string]: string;
}

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
export function digest(key: StateKey): string {
  const parts = Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
