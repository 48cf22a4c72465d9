// Where ledgers are kept between runs and restarts: a file in the user directory, a context store, or nowhere.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import writeFileAtomic from "write-file-atomic";
import { ConfigError } from "../../../src/client/errors";
import type { Ledger } from "../../../src/records/ledger";
import { readLedger } from "../../../src/records/stored-ledger";

/** What a ledger belongs to. Two nodes never share one, and another site, system or account has one of its own. */
export interface LedgerKey {
  nodeId: string;
  accountId: string;
  /** Site, system and source. */
  seriesId: string;
}

export interface LedgerStore {
  /** The stored ledger; undefined where there is none, or none that can be read. */
  load(key: LedgerKey): Promise<Ledger | undefined>;
  save(key: LedgerKey, ledger: Ledger): Promise<void>;
}

const VERSION = 1;
const CONTEXT_PREFIX = "context:";

/** The store that a node's `store` property names; undefined for `none`. Throws ConfigError for an unknown one. */
export function openStore(RED: NodeAPI, node: Node, name = "file"): LedgerStore | undefined {
  if (name === "none") return undefined;
  if (name === "file" || name === "") return fileStore(RED, node);
  if (name.startsWith(CONTEXT_PREFIX)) return contextStore(RED, node, name.slice(CONTEXT_PREFIX.length));
  throw new ConfigError(`Unknown store ${name}: choose file, none, or context:NAME`);
}

function fileStore(RED: NodeAPI, node: Node): LedgerStore {
  const { userDir } = RED.settings;
  if (!userDir) {
    node.warn(RED._("@energy-sites/node-red/account:status.noUserDirectory"));
    return memoryStore();
  }
  const path = (key: LedgerKey): string => join(userDir, "energy-sites", `${digest(key)}.json`);
  return {
    async load(key) {
      const text = await readFile(path(key), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
        throw storeError("read", error);
      });
      if (text === undefined) return undefined;
      const ledger = parse(text);
      if (!ledger) await setAside(path(key), node);
      return ledger;
    },
    async save(key, ledger) {
      try {
        await mkdir(dirname(path(key)), { recursive: true });
        // Temporary file, fsync, rename: after a crash there is the old ledger or the new one, never half of one.
        await writeFileAtomic(
          path(key),
          `${JSON.stringify({ version: VERSION, ...key, ledger }, undefined, 1)}\n`,
        );
      } catch (error) {
        throw storeError("written", error);
      }
    },
  };
}

function parse(text: string): Ledger | undefined {
  try {
    return readLedger((JSON.parse(text) as { ledger?: unknown }).ledger);
  } catch {
    return undefined;
  }
}

/** A damaged file is kept for whoever wants to look at it, and the node starts anew. */
async function setAside(path: string, node: Node): Promise<void> {
  const aside = `${path}.damaged-${Date.now()}`;
  await rename(path, aside).catch((error: unknown) => {
    throw storeError("set aside", error);
  });
  node.warn(`The ledger ${path} cannot be read. It is kept as ${aside}; reading starts as with a new node.`);
}

function storeError(action: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(
    `The ledger cannot be ${action}: ${reason}. Check the user directory, or choose another store`,
  );
}

/** Global context: a node that is moved to another tab keeps its place. */
function contextStore(RED: NodeAPI, node: Node, name: string): LedgerStore {
  const stores = Object.keys(RED.settings.contextStorage ?? { default: {} });
  if (!stores.includes(name)) {
    throw new ConfigError(`There is no context store ${name}: choose one of ${stores.join(", ")}, or file`);
  }
  const context = node.context().global;
  const property = (key: LedgerKey): string => `energySites_${digest(key)}`;
  return {
    load: (key) =>
      new Promise((resolve, reject) => {
        context.get(property(key), name, (error, value) =>
          error ? reject(storeError("read", error)) : resolve(readLedger(value)),
        );
      }),
    save: (key, ledger) =>
      new Promise((resolve, reject) => {
        context.set(property(key), ledger, name, (error) =>
          error ? reject(storeError("written", error)) : resolve(),
        );
      }),
  };
}

function memoryStore(): LedgerStore {
  const ledgers = new Map<string, Ledger>();
  return {
    load: (key) => Promise.resolve(ledgers.get(digest(key))),
    save: (key, ledger) => {
      ledgers.set(digest(key), ledger);
      return Promise.resolve();
    },
  };
}

/** Ids may hold anything: a digest is safe as a file name and as a context key. */
function digest({ nodeId, accountId, seriesId }: LedgerKey): string {
  return createHash("sha256")
    .update(JSON.stringify([nodeId, accountId, seriesId]))
    .digest("hex")
    .slice(0, 32);
}
