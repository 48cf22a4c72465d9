// Stores the state of nodes between runs and across restarts: in a file in the user directory, or in a context store.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { digestOf } from "../../../../src/canonical-json";
import { withSignal } from "../../../../src/abort";
import { ConfigError, errorText, StoreError } from "../../../../src/errors";
import { defined } from "../../../../src/objects";
import type { StateForm, StateGroup, StateStore } from "../../../../src/stored-state";
import { catalogueText } from "../base/errors";
import { storeError } from "./log-file";
import { StateLog } from "./state-log";
import { entryOf, WriteQueue } from "./write-queue";

/** What a state belongs to, in a form that people can read. */
export type StateKey = Readonly<Record<string, string>>;

/** Opens the store for one state of a node, named by its account, if it has one, and more; undefined if it lasts as long as the node. */
export type Storage = <State>(key: StateKey, form: StateForm<State>) => StateStore<State> | undefined;

const CONTEXT_PREFIX = "context:";
/** How long a context store may take, in milliseconds: a slow one for all systems of a run, but not forever. */
const STORE_TIMEOUT = 60_000;
/** The nodes that have warned that their state is kept in memory only. */
const warned = new WeakSet<Node>();

/** The store named by a `store` property; undefined for `none` and `message`, which keep nothing here. Throws ConfigError if it is unknown. */
export function openStorage(RED: NodeAPI, node: Node, name: string): Storage | undefined {
  if (name === "none" || name === "message") return undefined;
  if (name === "file") return fileStorage(RED, node);
  if (name.startsWith(CONTEXT_PREFIX)) return contextStorage(RED, node, name.slice(CONTEXT_PREFIX.length));
  const stores = contextStores(RED).map((known) => CONTEXT_PREFIX + known);
  throw new ConfigError("storeUnknown", { name, stores: ["file", "none", "message", ...stores].join(", ") });
}

/** Stores state in the user directory, in a log of the node and account; without a directory, nowhere. */
export function fileStorage(RED: NodeAPI, node: Node): Storage {
  return ({ accountId, ...key }, form) =>
    fileLog(RED, node, defined({ accountId }))?.state(Object.values(key).join(" "), form);
}

/** Stores the states of a group, each with its name, in a log of the group. Without a user directory: nowhere. */
export function fileGroup<State>(
  RED: NodeAPI,
  node: Node,
  key: StateKey,
  form: StateForm<State>,
): StateGroup<State> | undefined {
  return fileLog(RED, node, key)?.group(form);
}

/** Undefined, with a warning for each node, if Node-RED has no user directory. */
function fileLog(RED: NodeAPI, node: Node, owner: StateKey): StateLog | undefined {
  const { userDir } = RED.settings;
  if (userDir) return nodeLog(RED, node, join(userDir, "energy-sites"), { nodeId: node.id, ...owner });
  if (!warned.has(node)) node.warn(catalogueText(RED, "account:status.noUserDirectory"));
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
  return <State>(key: StateKey, form: StateForm<State>): StateStore<State> => {
    const property = `energySites_${digest({ nodeId: node.id, ...key })}`;
    const queue = new WriteQueue(async (batch) => {
      for (const { stored } of batch.values())
        await called("storeWritten", (done) => context.set(property, stored(), name, done));
    });
    return {
      load: async () => form.read(await called("storeRead", (done) => context.get(property, name, done))),
      save: (state) => queue.add(property, entryOf(form, state), 0),
    };
  };
}

/** What a context store answers. Throws StoreError: a store that others have written may also throw at once, or never call back. */
async function called(
  key: Parameters<typeof storeError>[0],
  call: (done: (error: Error, value?: unknown) => void) => void,
): Promise<unknown> {
  const answer = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      call((error, value) => (error ? reject(error) : resolve(value)));
    });
  try {
    const error = (): StoreError => new StoreError(key, { reason: errorText("takesTooLong") });
    return await withSignal([], answer, { ms: STORE_TIMEOUT, error });
  } catch (error) {
    throw error instanceof StoreError ? error : storeError(key, error);
  }
}

function contextStores(RED: NodeAPI): string[] {
  const configured = Object.keys(RED.settings.contextStorage ?? {});
  // Without configuration there is a single store: Node-RED lists it as memory, and accepts default as well.
  return configured.length > 0 ? configured : ["memory", "default"];
}

/** By path, with the nodes that use each and are not closed: those keep it alive. */
const openLogs = new Map<string, { readonly log: WeakRef<StateLog>; readonly nodes: Set<Node> }>();

/** One for each file in use, so that a node that restarts does not read what the one before it is about to replace. */
export function nodeLog(RED: NodeAPI, node: Node, folder: string, owner: StateKey): StateLog {
  const path = join(folder, `${digest(owner)}.jsonl`);
  const open = openLogs.get(path);
  const known = open?.log.deref();
  const isInUse = open && known && (open.nodes.size > 0 || !known.isIdle);
  const onDamaged = (aside: string): void =>
    node.warn(catalogueText(RED, "account:status.damagedFile", { path, aside }));
  const log = isInUse ? known : new StateLog({ path, owner, onDamaged });
  const nodes = isInUse ? open.nodes : new Set<Node>();
  openLogs.set(path, { log: new WeakRef(log), nodes });
  if (!nodes.has(node)) node.on("close", () => void nodes.delete(node));
  nodes.add(node);
  return log;
}

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
function digest(key: StateKey): string {
  return digestOf(key).slice(0, 32);
}
