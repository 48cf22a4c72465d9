// A double of a store for the states of a group: it can refuse a state, and writes what can wait when told that time has passed.
import { StoreError } from "../../src/errors";
import type { StateGroup } from "../../src/stored-state";

export class GroupDouble<State> implements StateGroup<State> {
  readonly states = new Map<string, State>();
  /** The names of what was to be written or removed, in order. */
  readonly attempts: string[] = [];
  /** The name of the state that cannot be written. */
  refused: string | undefined;
  /** What may wait, and how long, in milliseconds. */
  readonly waiting = new Map<string, { state: State | undefined; within: number; done: () => void }>();

  load(): Promise<Map<string, State>> {
    return Promise.resolve(new Map(this.states));
  }

  async save(name: string, state: State | undefined, within = 0): Promise<void> {
    const replaced = this.waiting.get(name);
    this.waiting.delete(name);
    if (within > 0) await new Promise<void>((done) => this.waiting.set(name, { state, within, done }));
    else await this.#write(name, state);
    replaced?.done();
  }

  /** As if time had passed until everything must be written. */
  async flush(): Promise<void> {
    for (const [name, { state, done }] of this.waiting) {
      this.waiting.delete(name);
      await this.#write(name, state);
      done();
    }
  }

  async #write(name: string, state: State | undefined): Promise<void> {
    this.attempts.push(name);
    await Promise.resolve();
    if (name === this.refused) throw new StoreError("storeWritten", { reason: "full" });
    if (state === undefined) this.states.delete(name);
    else this.states.set(name, JSON.parse(JSON.stringify(state)) as State);
  }
}
