// The logs in use: all nodes that use a file in this process share one log, as long as one of them does.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { digestOf } from "../../../../src/canonical-json";
import { catalogueValues } from "../../../../src/shown-text";
import { StateLog } from "./state-log";

/** Identifies whose state it is and which one, and is stored in readable form. */
export type StateKey = Readonly<Record<string, string>>;

interface OpenLog {
  readonly log: StateLog;
  /** Nodes that have used it and are not closed, and operations under way. */
  readonly users: Set<object>;
}

const openLogs = new Map<string, OpenLog>();
/** Nodes that have a log, and whether they are closed. */
const areClosed = new WeakMap<Node, boolean>();

/** Does something with a log. A node that is closed can still write, but then the file is read again. */
export type UseLog = <T>(action: (log: StateLog) => Promise<T>) => Promise<T>;

export function nodeLog(RED: NodeAPI, node: Node, folder: string, owner: StateKey): UseLog {
  const path = join(folder, `${digest(owner)}.jsonl`);
  if (!areClosed.has(node)) {
    areClosed.set(node, false);
    node.on("close", () => {
      areClosed.set(node, true);
      for (const used of openLogs.keys()) release(used, node);
    });
  }
  const onDamaged = (aside: string): void =>
    node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", catalogueValues({ path, aside })));
  return async (action) => {
    const open = openLogs.get(path) ?? { log: new StateLog({ path, owner, onDamaged }), users: new Set() };
    openLogs.set(path, open);
    const operation = {};
    open.users.add(operation);
    if (!areClosed.get(node)) open.users.add(node);
    try {
      return await action(open.log);
    } finally {
      release(path, operation);
    }
  };
}

function release(path: string, user: object): void {
  const open = openLogs.get(path);
  open?.users.delete(user);
  if (open?.users.size === 0) openLogs.delete(path);
}

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
export function digest(key: StateKey): string {
  return digestOf(key).slice(0, 32);
}

/** Stands for a key in every line of a log: 132 bits, so that nobody who chooses ids finds two that share one. */
export function shortDigest(key: StateKey): string {
  return digestOf(key, "base64url").slice(0, 22);
}
