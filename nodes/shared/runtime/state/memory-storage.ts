// Stores states in memory, for a Node-RED without a user directory: they last as long as their node.
import type { StateGroup } from "../../../../src/stored-state";
import { digest } from "./state-key";
import type { Storage } from "./storage";

export function memoryStorage(): Storage {
  const states = new Map<string, unknown>();
  return (key, read) => ({
    load: () => Promise.resolve(states.has(digest(key)) ? read(states.get(digest(key))) : undefined),
    save: (state) => {
      states.set(digest(key), state);
      return Promise.resolve();
    },
  });
}

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
