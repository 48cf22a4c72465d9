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

/** The logs of a folder, by node and account: thousands of states share one. */
const addresses = new Map<string, Map<string, LogAddress>>();

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
    this.#address = addressOf(options.folder, { nodeId, ...(accountId !== undefined && { accountId }) });
    this.#key = key;
    this.#id = shortDigest(key);
  }

  load(): Promise<State | undefined> {
    return withLog(this.#RED, this.#node, this.#address, async (log) => {
      const { folder, key, read } = this.#options;
      const oldFiles = await oldFilesBeside(log, folder);
      const old = `${digest(key)}${OLD_ENDING}`;
      const stored = await log.get(this.#id);
      const isOld = oldFiles.has(old);
      if (stored === undefined) return isOld ? this.#move(log, old, oldFiles) : undefined;
      if (isOld) await this.#remove(old, oldFiles);
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

  /** Moves the state from its old file to the log. If one cannot be read or the other written, the file stays. */
  async #move(log: StateLog, old: string, oldFiles: Set<string>): Promise<State | undefined> {
    const { folder, read } = this.#options;
    const state = await readStateFile(this.#RED, this.#node, join(folder, old), read);
    if (state === undefined) return undefined;
    try {
      await log.save(this.#id, this.#key, state);
      await this.#remove(old, oldFiles);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return state;
  }

  async #remove(old: string, oldFiles: Set<string>): Promise<void> {
    await removeOldFile(join(this.#options.folder, old));
    oldFiles.delete(old);
  }
}

function addressOf(folder: string, owner: StateKey): LogAddress {
  const name = `${digest(owner)}${LOG_ENDING}`;
  const known = addresses.get(folder) ?? new Map<string, LogAddress>();
  addresses.set(folder, known);
  const address = known.get(name) ?? { path: join(folder, name), owner };
  known.set(name, address);
  return address;
}
