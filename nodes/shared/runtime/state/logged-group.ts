// The states of a group, in a log of their own.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { StateGroup } from "../../../../src/stored-state";
import { LOG_ENDING, type LoggedStateOptions } from "./logged-state";
import { oldFilesIn, removeOldFile, removeOldFolder } from "./old-files";
import { type LogAddress, withLog } from "./open-logs";
import { readStateAndKey } from "./state-file";
import type { StateLog } from "./state-log";
import { digest, shortDigest } from "./state-key";

/** More files open at once would be no faster, and the system limits them. */
const PARALLEL_READS = 8;

export class LoggedGroup<State> implements StateGroup<State> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #options: LoggedStateOptions<State>;
  readonly #address: LogAddress;

  constructor(RED: NodeAPI, node: Node, options: LoggedStateOptions<State>) {
    this.#RED = RED;
    this.#node = node;
    this.#options = options;
    const { folder, key } = options;
    this.#address = { path: join(folder, `${digest(key)}${LOG_ENDING}`), owner: key };
  }

  load(): Promise<State[]> {
    return this.#with(async (log) => {
      await this.#moveOldFiles(log);
      const { states, unreadable } = await log.all(this.#options.read);
      for (const id of unreadable) await log.setAside(id);
      return states;
    });
  }

  save(name: string, state: State): Promise<void> {
    return this.#with((log) => log.save(idOf(name), { name }, state));
  }

  remove(name: string): Promise<void> {
    return this.#with((log) => log.remove(idOf(name)));
  }

  #with<T>(action: (log: StateLog) => Promise<T>): Promise<T> {
    return withLog(this.#RED, this.#node, this.#address, action);
  }

  /** Earlier versions had a folder for each group, with a file for each state. */
  async #moveOldFiles(log: StateLog): Promise<void> {
    const { folder, key } = this.#options;
    const oldFolder = join(folder, digest(key));
    const oldFiles = await oldFilesIn(oldFolder);
    if (oldFiles.size === 0) return;
    // All movers take their next file from the same iterator.
    const files = oldFiles.values();
    const moveOn = async (): Promise<void> => {
      for (const file of files) await this.#move(log, join(oldFolder, file));
    };
    await Promise.all(Array.from({ length: PARALLEL_READS }, moveOn));
    await removeOldFolder(oldFolder);
  }

  async #move(log: StateLog, path: string): Promise<void> {
    const { read } = this.#options;
    const old = await readStateAndKey(this.#RED, this.#node, path, ({ name, state: stored }) => {
      const state = read(stored);
      return typeof name === "string" && state !== undefined ? { name, state } : undefined;
    });
    if (!old) return;
    const { name, state } = old;
    // A move that was interrupted may have come this far.
    if ((await log.get(idOf(name))) === undefined) await log.save(idOf(name), { name }, state);
    await removeOldFile(path);
  }
}

function idOf(name: string): string {
  return shortDigest({ name });
}
