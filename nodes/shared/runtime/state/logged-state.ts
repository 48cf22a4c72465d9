// A state in the log of its node and account.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { StateStore } from "../../../../src/stored-state";
import { hurryLog, type LogAddress, withLog } from "./open-logs";
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
      const stored = await log.get(this.#id);
      if (stored === undefined) return undefined;
      const state = this.#options.read(stored);
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
}

function addressOf(folder: string, owner: StateKey): LogAddress {
  const name = `${digest(owner)}${LOG_ENDING}`;
  const known = addresses.get(folder) ?? new Map<string, LogAddress>();
  addresses.set(folder, known);
  const address = known.get(name) ?? { path: join(folder, name), owner };
  known.set(name, address);
  return address;
}
