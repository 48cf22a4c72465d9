// The logs in use: all who use a file in this process share one log, as long as one of them does.
import type { Node, NodeAPI } from "node-red";
import { catalogueValues } from "../../../../src/shown-text";
import { StateLog } from "./state-log";

interface OpenLog {
  readonly log: StateLog;
  /** Nodes that have used it and are not closed. */
  readonly users: Set<Node>;
  /** Operations under way. */
  uses: number;
}

const logs = new Map<string, OpenLog>();
/** The paths of the logs that each node uses; undefined once the node is closed. */
const pathsOf = new WeakMap<Node, Set<string> | "closed">();

export interface LogAddress {
  path: string;
  /** Whose states the log holds. */
  owner: object;
}

/** Does something with the log of a file. A node that is closed can still write, but then reads the file anew. */
export async function withLog<T>(
  RED: NodeAPI,
  node: Node,
  { path, owner }: LogAddress,
  action: (log: StateLog) => Promise<T>,
): Promise<T> {
  const open = logs.get(path) ?? { log: newLog(RED, node, { path, owner }), users: new Set(), uses: 0 };
  logs.set(path, open);
  open.uses += 1;
  use(node, path, open);
  try {
    return await action(open.log);
  } finally {
    open.uses -= 1;
    closeUnused(path);
  }
}

/** Writes now what waits for more, if the log is open. */
export function hurryLog(path: string): void {
  logs.get(path)?.log.hurry();
}

function newLog(RED: NodeAPI, node: Node, { path, owner }: LogAddress): StateLog {
  return new StateLog({ path, owner, onDamaged: (aside) => warnDamaged(RED, node, path, aside) });
}

function use(node: Node, path: string, { users }: OpenLog): void {
  const paths = pathsOf.get(node);
  if (paths === "closed" || users.has(node)) return;
  users.add(node);
  if (paths) {
    paths.add(path);
    return;
  }
  pathsOf.set(node, new Set([path]));
  node.on("close", () => release(node));
}

function release(node: Node): void {
  const paths = pathsOf.get(node);
  pathsOf.set(node, "closed");
  if (!(paths instanceof Set)) return;
  for (const path of paths) {
    logs.get(path)?.users.delete(node);
    closeUnused(path);
  }
}

function closeUnused(path: string): void {
  const open = logs.get(path);
  if (open && open.uses === 0 && open.users.size === 0) logs.delete(path);
}

function warnDamaged(RED: NodeAPI, node: Node, path: string, aside: string): void {
  node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", catalogueValues({ path, aside })));
}
