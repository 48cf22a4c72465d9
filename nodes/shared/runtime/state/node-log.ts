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
  uses: number;
}

/** By path. */
const openLogs = new Map<string, OpenLog>();
/** By path: the logs of each node. */
const logsOf = new WeakMap<Node, Map<string, NodeLog>>();
const closedNodes = new WeakSet<Node>();

/** A log as one node uses it. */
export class NodeLog {
  readonly #path: string;
  readonly #create: () => StateLog;
  #state: "unused" | "used" | "closed" = "unused";

  constructor(path: string, create: () => StateLog) {
    this.#path = path;
    this.#create = create;
  }

  /** Does something with the log. A node that is closed can still write, but then the file is read again. */
  async use<T>(action: (log: StateLog) => Promise<T>): Promise<T> {
    const { log } = this.#open();
    if (this.#state === "unused") {
      this.#open();
      this.#state = "used";
    }
    try {
      return await action(log);
    } finally {
      this.#release();
    }
  }

  /** When the node is closed. */
  close(): void {
    if (this.#state === "used") this.#release();
    this.#state = "closed";
  }

  #open(): OpenLog {
    const open = openLogs.get(this.#path) ?? { log: this.#create(), uses: 0 };
    openLogs.set(this.#path, open);
    open.uses += 1;
    return open;
  }

  #release(): void {
    const open = openLogs.get(this.#path);
    if (!open) return;
    open.uses -= 1;
    if (open.uses === 0) openLogs.delete(this.#path);
  }
}

/** The log of an owner in a folder. */
export function nodeLog(RED: NodeAPI, node: Node, folder: string, owner: StateKey): NodeLog {
  const path = join(folder, `${digest(owner)}.jsonl`);
  const logs = logsOf.get(node) ?? new Map<string, NodeLog>();
  if (!logsOf.has(node)) {
    logsOf.set(node, logs);
    node.on("close", () => {
      closedNodes.add(node);
      for (const log of logs.values()) log.close();
    });
  }
  const onDamaged = (aside: string): void =>
    node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", catalogueValues({ path, aside })));
  const log = logs.get(path) ?? new NodeLog(path, () => new StateLog({ path, owner, onDamaged }));
  logs.set(path, log);
  if (closedNodes.has(node)) log.close();
  return log;
}

/** Ids may contain any characters; a digest is safe as a file name and as a context key. */
export function digest(key: StateKey): string {
  return digestOf(key).slice(0, 32);
}

/** Stands for a key in every line of a log: 72 bits, so that no two keys of a file share one. */
export function shortDigest(key: StateKey): string {
  return digestOf(key, "base64url").slice(0, 12);
}
