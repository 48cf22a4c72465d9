// Reads and writes one state as a JSON file of its own.
import { rename } from "node:fs/promises";
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { isServiceObject } from "../../../../src/models/service-object";
import { catalogueValues } from "../../../../src/shown-text";
import { readIfExists, replaceFile } from "./log-file";
import type { StateReader } from "./state-key";
import { storeError } from "./store-errors";

const VERSION = 1;

/** Undefined if there is no file, or a damaged one: that is set aside with a warning. Throws StoreError. */
export async function readStateFile<State>(
  RED: NodeAPI,
  node: Node,
  path: string,
  read: StateReader<State>,
): Promise<State | undefined> {
  const text = (await readIfExists(path))?.toString("utf8");
  if (text === undefined) return undefined;
  const content = parsed(text);
  const state = isServiceObject(content) ? read(content["state"]) : undefined;
  if (state === undefined) await setAside(RED, node, path);
  return state;
}

/** `key` is stored beside the state, so that a person can tell what the file belongs to. Throws StoreError. */
export async function writeStateFile(path: string, key: object, state: unknown): Promise<void> {
  await replaceFile(path, Buffer.from(`${JSON.stringify({ version: VERSION, ...key, state })}\n`));
}

export function warnDamaged(RED: NodeAPI, node: Node, path: string, aside: string): void {
  node.warn(RED._("@energy-sites/node-red/account:status.damagedFile", catalogueValues({ path, aside })));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Keeps a damaged file for inspection. */
async function setAside(RED: NodeAPI, node: Node, path: string): Promise<void> {
  const aside = `${path}.damaged-${systemClock.now()}`;
  await rename(path, aside).catch((error: unknown) => {
    throw storeError("storeSetAside", error);
  });
  warnDamaged(RED, node, path, aside);
}
