// Stores the state of nodes between runs and across restarts: in a file in the user directory, or in a context store.
import { systemClock } from "../../../src/clock";
import { createHash } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { ConfigError, StoreError } from "../../../src/errors";
import type { StateStore } from "../../../src/stored-state";

/** Identifies a state by its node and more, and is stored in the file in readable form. Unique to each node. */
export interface StateKey {
  nodeId: string;
  [what: string]: string;
}

/** Parses stored data; returns undefined if it is not a valid state. */
export type StateReader<T> = (stored: unknown) => T | undefined;

/** Opens the store for one state; `read` parses what this or another version has stored. */
export type Storage = <State>(key: StateKey, read: StateReader<State>) => StateStore<State>;

const VERSION = 1;
const CONTEXT_PREFIX = "context:";

/** The store named by a `store` property; undefined for `none`. Throws ConfigError if it is unknown. */
export function openStorage(RED: NodeAPI, node: Node, store: unknown = "file"): Storage | undefined {
  const name = String(store);
  if (name === "none") return undefined;
  if (name === "file" || name === "") return fileStorage(RED, node);
  if (name.startsWith(CONTEXT_PREFIX)) return contextStorage(RED, node, name.slice(CONTEXT_PREFIX.length));
  const stores = contextStores(RED).map((known) => CONTEXT_PREFIX + known);
  throw new ConfigError("storeUnknown", { name, stores: ["file", "none", ...stores].join(", ") });
}

/** Stores state in the user directory or, if there is none, in memory for the lifetime of the node. */
export function fileStorage(RED: NodeAPI, node: Node): Storage {
  const { userDir } = RED.settings;
  if (!userDir) {
    node.warn(RED._("@energy-sites/node-red/account:status.noUserDirectory"));
    return memoryStorage();
  }
  return (key, read) => {
    const path = join(userDir, "energy-sites", `${digest(key)}.json`);
    return {
      async load() {
        const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
          throw storeError("storeRead", error);
        });
        if (text === undefined) return undefined;
        const state = read(stateIn(text));
        if (state === undefined) await setAside(RED, node, path);
        return state;
      },
      async save(state) {
        try {
          await mkdir(dirname(path), { recursive: true });
          // Loaded on the first write, so that it does not slow down the start of Node-RED.
          const writeFileAtomic: typeof import("write-file-atomic") = require("write-file-atomic");
          // Temporary file, fsync, rename: after a crash there is either the old state or the new one, never a partial one.
          await writeFileAtomic(path, `${JSON.stringify({ version: VERSION, ...key, state })}\n`);
        } catch (error) {
          throw storeError("storeWritten", error);
        }
      },
    };
  };
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
  node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", { path, aside }));
}

function storeError(key: "storeRead" | "storeWritten" | "storeSetAside", error: unknown): StoreError {
  return new StoreError(key, { reason: error instanceof Error ? error.message : String(error) });
}

/** Uses the global context, so that a node keeps its state when it is moved to another tab. */
function contextStorage(RED: NodeAPI, node: Node, name: string): Storage {
  const stores = contextStores(RED);
  if (!stores.includes(name)) {
    throw new ConfigError("contextStoreUnknown", { name, stores: stores.join(", ") });
  }
  const context = node.context().global;
  return (key, read) => {
    const property = `energySites_${digest(key)}`;
    return {
      load: () =>
        new Promise((resolve, reject) => {
          context.get(property, name, (error, value) =>
            error ? reject(storeError("storeRead", error)) : resolve(read(value)),
          );
        }),
      save: (state) =>
        new Promise((resolve, reject) => {
          context.set(property, state, name, (error) =>
            error ? reject(storeError("storeWritten", error)) : resolve(),
          );
        }),
    };
  };
}

function contextStores(RED: NodeAPI): string[] {
  const configured = Object.keys(RED.settings.contextStorage ?? {});
  // Without configuration there is a single store: Node-RED lists it as memory, and accepts default as well.
  return configured.length > 0 ? configured : ["memory", "default"];
}

function memoryStorage(): Storage {
  const states = new Map<string, unknown>();
  return (key, read) => ({
    load: () => Promise.resolve(states.has(digest(key)) ? read(states.get(digest(key))) : undefined),
    save: (state) => {
      states.set(digest(key), state);
      return Promise.resolve();
    },
  });
}

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
function digest(key: StateKey): string {
  const parts = Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
