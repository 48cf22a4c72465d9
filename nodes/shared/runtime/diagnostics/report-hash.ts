// The key of the hashes in reports: random, and kept in the user directory, so that reports can be compared.
import { randomBytes } from "node:crypto";
import type { Node, NodeAPI } from "node-red";
import { type Hash, hashWith } from "../../../../src/diagnostics/privacy";
import { StoredState } from "../../../../src/stored-state";
import { fileStorage } from "../state/storage";

/** By user directory; "" if there is none. */
const keys = new Map<string, Promise<string>>();

/** Falls back to a key that lasts as long as this process. */
export async function reportHash(RED: NodeAPI, node: Node): Promise<Hash> {
  const { userDir = "" } = RED.settings;
  const key = keys.get(userDir) ?? (userDir === "" ? Promise.resolve(newKey()) : storedKey(RED, node));
  keys.set(userDir, key);
  return hashWith(await key);
}

async function storedKey(RED: NodeAPI, node: Node): Promise<string> {
  const storage = fileStorage(RED, node, "");
  const state = new StoredState(storage({ purpose: "hashes of diagnostics" }, { read: readKey }));
  const key = newKey();
  try {
    if ((await state.load()) === undefined) await state.set(key);
    return state.current ?? key;
  } catch {
    return key;
  }
}

function newKey(): string {
  return randomBytes(32).toString("hex");
}

function readKey(stored: unknown): string | undefined {
  return typeof stored === "string" && /^[0-9a-f]{64}$/.test(stored) ? stored : undefined;
}
