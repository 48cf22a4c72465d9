// Reads and writes one state as a JSON file in the user directory.
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { StoreError } from "../../../../src/errors";
import { catalogueValues } from "../../../../src/shown-text";

/** Parses stored data; returns undefined if it is not a valid state. */
export type StateReader<T> = (stored: unknown) => T | undefined;

const VERSION = 1;
/** Only the user who runs Node-RED may read what is stored. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Undefined if there is no file, or a damaged one: that is set aside with a warning. Throws StoreError. */
export async function readStateFile<State>(
  RED: NodeAPI,
  node: Node,
  path: string,
  read: StateReader<State>,
): Promise<State | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw storeError("storeRead", error);
  });
  if (text === undefined) return undefined;
  const state = read(stateIn(text));
  if (state === undefined) await setAside(RED, node, path);
  return state;
}

/** `key` is stored beside the state, so that a person can tell what the file belongs to. Throws StoreError. */
export async function writeStateFile(path: string, key: object, state: unknown): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    // Loaded on the first write, so that it does not slow down the start of Node-RED.
    const writeFileAtomic: typeof import("write-file-atomic") = require("write-file-atomic");
    // Temporary file, fsync, rename: after a crash there is either the old state or the new one, never a partial one.
    await writeFileAtomic(path, `${JSON.stringify({ version: VERSION, ...key, state })}\n`, {
      mode: FILE_MODE,
    });
  } catch (error) {
    throw storeError("storeWritten", error);
  }
}

export function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

export function storeError(key: "storeRead" | "storeWritten" | "storeSetAside", error: unknown): StoreError {
  return new StoreError(key, { reason: error instanceof Error ? error.message : String(error) });
}

function stateIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { state?: unknown }).state;
  } catch {
    return undefined;
  }
}

/** Keeps a damaged file for inspection; the node starts over. */
async function setAside(RED: NodeAPI, node: Node, path: string): Promise<void> {
  const aside = `${path}.damaged-${systemClock.now()}`;
  await rename(path, aside).catch((error: unknown) => {
    throw storeError("storeSetAside", error);
  });
  node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", catalogueValues({ path, aside })));
}
