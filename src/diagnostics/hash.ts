// Replaces ids, names and hosts in a report: equal ones stay recognizable, and none reveals the original.
import { createHmac } from "node:crypto";

/** The same text gives the same short hash, such as `id-1a2b3c4d`. */
export type Hash = (text: string) => string;

/** Enough to tell apart the ids of one installation. */
const LENGTH = 8;

/** @param key random and secret: without it, short ids could be tried one by one */
export function hashWith(key: string): Hash {
  return (text) => `id-${createHmac("sha256", key).update(text).digest("hex").slice(0, LENGTH)}`;
}
