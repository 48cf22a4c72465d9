// A state in the log of its node and account.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { StoreError } from "../../../../src/errors";
import type { StateStore } from "../../../../src/stored-state";
import { OLD_ENDING, oldFilesBeside, removeOldFile } from "./old-files";
import { hurryLog, type LogAddress, withLog } from "./open-logs";
import { readStateFile } from "./state-file";
import type { StateLog } from "./state-log";
import { digest, shortDigest, type StateKey, type StateReader } from "./state-key";

export const LOG_ENDING = ".jsonl";

export interface LoggedStateOptions<State> {
  /** Whether writes wait a moment for others of the log. */
  isGathered?: boolean;
  folder: string;
  key: StateKey;
  read: StateReader<State>;
}

export class LoggedState<State> implements StateStore<State> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #options: LoggedStateOptions<State>;
  readonly #address: LogAddress;
  /** What tells the state from others in its log. */
  readonly #key: Readonly<Record<string, string>>;
  readonly #id: string;

  constructor(RED: NodeAPI, node: Node, options: LoggedStateOptions<State>) {
    this.#RED = RED;
    this.#node = node;
    this.#options = options;
    const { nodeId, accountId, ...key } = options.key;
    const owner = { nodeId, ...(accountId !== undefined && { accountId }) };
    this.#address = { path: join(options.folder, `${digest(owner)}${LOG_ENDING}`), owner };
    this.#key = key;
    this.#id = shortDigest(key);
  }

  load(): Promise<State | undefined> {
    return withLog(this.#RED, this.#node, this.#address, async (log) => {
      const { folder, key, read } = this.#options;
      const oldFile = `${digest(key)}${OLD_ENDING}`;
      const oldFiles = await oldFilesBeside(log, folder);
      const isOld = oldFiles.delete(oldFile);
      const stored = await log.get(this.#id);
      if (stored === undefined) return isOld ? this.#move(log, join(folder, oldFile)) : undefined;
      if (isOld) await removeOldFile(join(folder, oldFile));
      const state = read(stored);
      if (state === undefined) await log.setAside(this.#id);
      return state;
    });
  }

  save(state: State): Promise<void> {
    const { isGathered } = this.#options;
    return withLog(this.#RED, this.#node, this.#address, (log) =>
      log.save(this.#id, this.#key, state, isGathered),
    );
  }

  hurry(): void {
    hurryLog(this.#address.path);
  }

  /** Moves the state from its old file to the log. If the log cannot be written, the file stays. */
  async #move(log: StateLog, path: string): Promise<State | undefined> {
    const { read } = this.#options;
    const state = await readStateFile(this.#RED, this.#node, path, read);
    if (state === undefined) return undefined;
    try {
      await log.save(this.#id, this.#key, state);
      await removeOldFile(path);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return state;
  }
}
