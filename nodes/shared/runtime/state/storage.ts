// Stores the state of nodes between runs and across restarts: in a file in the user directory, or in a context store.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../../src/errors";
import type { StateGroup, StateStore } from "../../../../src/stored-state";
import { LoggedGroup } from "./logged-group";
import { LoggedState } from "./logged-state";
import { MemoryGroup, memoryStorage } from "./memory-storage";
import { digest, type StateKey, type StateReader } from "./state-key";
import { storeError } from "./store-errors";

/** Opens the store for one state; `read` parses what this or another version has stored. */
export type Storage = <State>(key: StateKey, read: StateReader<State>) => StateStore<State>;

const CONTEXT_PREFIX = "context:";
/** The nodes that have warned that their state is kept in memory only. */
const warned = new WeakSet<Node>();

/** The store named by a `store` property; undefined for `none` and `message`, which keep nothing here. Throws ConfigError if it is unknown. */
export function openStorage(RED: NodeAPI, node: Node, store: unknown = "file"): Storage | undefined {
  const name = String(store);
  if (name === "none" || name === "message") return undefined;
  if (name === "file" || name === "") return fileStorage(RED, node, true);
  if (name.startsWith(CONTEXT_PREFIX)) return contextStorage(RED, node, name.slice(CONTEXT_PREFIX.length));
  const stores = contextStores(RED).map((known) => CONTEXT_PREFIX + known);
  throw new ConfigError("storeUnknown", { name, stores: ["file", "none", "message", ...stores].join(", ") });
}

/**
 * Stores state in the user directory, in a log of the node and account, or, without one, in memory for the lifetime of the node.
 * @param isGathered whether writes wait a moment for others, unless they are hurried
 */
export function fileStorage(RED: NodeAPI, node: Node, isGathered = false): Storage {
  const folder = storageFolder(RED, node);
  if (folder === undefined) return memoryStorage();
  return (key, read) => new LoggedState(RED, node, { folder, key, read, isGathered });
}

/** Stores the states of a group in a log of the group. Without a user directory: in memory. */
export function fileGroup<State>(
  RED: NodeAPI,
  node: Node,
  key: StateKey,
  read: StateReader<State>,
): StateGroup<State> {
  const folder = storageFolder(RED, node);
  if (folder === undefined) return new MemoryGroup();
  return new LoggedGroup(RED, node, { folder, key, read });
}

/** Where the files of all nodes lie; undefined, with a warning for each node, if Node-RED has no user directory. */
function storageFolder(RED: NodeAPI, node: Node): string | undefined {
  const { userDir } = RED.settings;
  if (userDir) return join(userDir, "energy-sites");
  if (!warned.has(node)) node.warn(RED._("@energy-sites/node-red/account:status.noUserDirectory"));
  warned.add(node);
  return undefined;
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
