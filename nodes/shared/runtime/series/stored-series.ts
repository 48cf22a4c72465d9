// Keeps the systems that a node has listed across restarts, so that a list that fails right after one does not stop it.
import type { Node, NodeAPI } from "node-red";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { isServiceObject } from "../../../../src/models/service-object";
import { isId } from "../../../../src/settings/rules";
import { type StateStore, StoredState } from "../../../../src/stored-state";
import { fileStorage } from "../state/storage";

export class StoredSeries {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #states = new Map<string, StoredState<SeriesAddress[]>>();

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED;
    this.#node = node;
  }

  /** Undefined if none are stored, or they cannot be read: the next list brings them. */
  async load(accountId: string, selection: string): Promise<SeriesAddress[] | undefined> {
    return this.#stateOf(accountId, selection)
      .load()
      .catch(() => undefined);
  }

  /** Writes only what has changed. Never rejects. */
  async save(accountId: string, selection: string, addresses: readonly SeriesAddress[]): Promise<void> {
    const known = await this.load(accountId, selection);
    if (known?.length === addresses.length && known.every((one, index) => isSame(one, addresses[index])))
      return;
    await this.#stateOf(accountId, selection)
      .set([...addresses])
      .catch(() => undefined);
  }

  #stateOf(accountId: string, selection: string): StoredState<SeriesAddress[]> {
    const name = JSON.stringify([accountId, selection]);
    const state = this.#states.get(name) ?? new StoredState(this.#store(accountId, selection));
    this.#states.set(name, state);
    return state;
  }

  #store(accountId: string, systemsOf: string): StateStore<SeriesAddress[]> | undefined {
    // Without a user directory they last as long as the node, as before.
    if (!this.#RED.settings.userDir) return undefined;
    return fileStorage(this.#RED, this.#node)(
      { nodeId: this.#node.id, accountId, systemsOf },
      { read: readAddresses },
    );
  }
}

function isSame(one: SeriesAddress, other: SeriesAddress | undefined): boolean {
  return one.siteId === other?.siteId && one.systemId === other.systemId;
}

function readAddresses(stored: unknown): SeriesAddress[] | undefined {
  return Array.isArray(stored) && stored.every(isAddress) ? stored : undefined;
}

function isAddress(stored: unknown): stored is SeriesAddress {
  if (!isServiceObject(stored)) return false;
  const { siteId, systemId } = stored;
  return isId(siteId) && (systemId === undefined || isId(systemId));
}
