// The states of a group, in a log of their own.
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { StateGroup } from "../../../../src/stored-state";
import { LOG_ENDING, type LoggedStateOptions } from "./logged-state";
import { type LogAddress, withLog } from "./open-logs";
import type { StateLog } from "./state-log";
import { digest, shortDigest } from "./state-key";

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
}

function idOf(name: string): string {
  return shortDigest({ name });
}
