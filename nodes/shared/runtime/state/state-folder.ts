// Stores the states of a group, each in a file of its own: what changes in one of them does not rewrite the others.
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { StateGroup } from "../../../../src/stored-state";
import { isNotFound, readStateFile, type StateReader, storeError, writeStateFile } from "./state-file";
import { digest, type StateKey } from "./state-key";

/** The files of damaged states and those of interrupted writes have other endings. */
const ENDING = ".json";
/** More files open at once would be no faster, and the system limits them. */
const PARALLEL_READS = 8;

interface FolderOptions<State> {
  path: string;
  key: StateKey;
  read: StateReader<State>;
}

export class StateFolder<State> implements StateGroup<State> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #folder: FolderOptions<State>;

  constructor(RED: NodeAPI, node: Node, folder: FolderOptions<State>) {
    this.#RED = RED;
    this.#node = node;
    this.#folder = folder;
  }

  async load(): Promise<State[]> {
    const { path, read } = this.#folder;
    const states: State[] = [];
    // All readers take their next file from the same iterator.
    const files = (await this.#files()).values();
    const readFiles = async (): Promise<void> => {
      for (const file of files) {
        const state = await readStateFile(this.#RED, this.#node, join(path, file), read);
        if (state !== undefined) states.push(state);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_READS }, readFiles));
    return states;
  }

  save(name: string, state: State): Promise<void> {
    return writeStateFile(this.#pathOf(name), { ...this.#folder.key, name }, state);
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#pathOf(name)).catch((error: unknown) => {
      if (!isNotFound(error)) throw storeError("storeWritten", error);
    });
  }

  async #files(): Promise<string[]> {
    const files = await readdir(this.#folder.path).catch((error: unknown) => {
      if (isNotFound(error)) return [];
      throw storeError("storeRead", error);
    });
    return files.filter((file) => file.endsWith(ENDING));
  }

  #pathOf(name: string): string {
    return join(this.#folder.path, `${digest({ ...this.#folder.key, name })}${ENDING}`);
  }
}

/** For a Node-RED without a user directory: the states last as long as their node. */
export class MemoryGroup<State> implements StateGroup<State> {
  readonly #states = new Map<string, State>();

  load(): Promise<State[]> {
    return Promise.resolve([...this.#states.values()]);
  }

  save(name: string, state: State): Promise<void> {
    this.#states.set(name, state);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#states.delete(name);
    return Promise.resolve();
  }
}
