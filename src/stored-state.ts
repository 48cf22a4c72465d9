// State held in memory and written to a store on every change.
import { systemClock } from "./clock";

/** Keeps one state across restarts. Both methods reject with StoreError. */
export interface StateStore<State> {
  /** Undefined if nothing is stored, or nothing that can be read. */
  load(): Promise<State | undefined>;
  /**
   * Resolves once the state, or one that was saved later, survives a crash. Undefined removes it.
   * @param within how long the write may wait, in milliseconds, to be made together with others; by default, not at all
   */
  save(state: State | undefined, within?: number): Promise<void>;
}

/** Keeps several states of one kind across restarts, each by its name. */
export interface StateGroup<State> {
  /** All that are stored and can be read. Rejects with StoreError. */
  load(): Promise<State[]>;
  store(name: string): StateStore<State>;
  /** Writes now what may wait. Resolves once it is written, or has failed. */
  flush(): Promise<void>;
}

/** What a state looks like in a store: plain JSON. */
export interface StateForm<State> {
  /** Undefined if what is stored is damaged. */
  read: (stored: unknown) => State | undefined;
  /** By default, the state itself. */
  toStored?: (state: State) => unknown;
}

/** When to write a state. */
export interface WriteTime {
  within?: number;
  every?: number;
}

export class StoredState<State> {
  readonly #store: StateStore<State> | undefined;
  #current: State | undefined;
  #isLoaded = false;
  #isSaved = true;
  #hasFailed = false;
  /** When the last write began, or the next one does, on the monotonic clock. */
  #writeAt = Number.NEGATIVE_INFINITY;

  /**
   * Without a store, the state lasts as long as this object.
   * @param current the state that has been loaded from the store, if it has
   */
  constructor(store: StateStore<State> | undefined, current?: State) {
    this.#store = store;
    this.#current = current;
    if (current !== undefined) this.#writeAt = systemClock.monotonic();
  }

  /** The state last loaded or set, if any. */
  get current(): State | undefined {
    return this.#current;
  }

  /** Whether the store has the current state. */
  get isSaved(): boolean {
    return this.#isSaved;
  }

  /** Whether the last write has failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Reads the store on the first call. Throws StoreError; the next call then tries again. */
  async load(): Promise<State | undefined> {
    if (!this.#isLoaded) {
      const stored = await this.#store?.load();
      this.#current ??= stored;
      this.#isLoaded = true;
    }
    return this.#current;
  }

  /**
   * Applies immediately. Resolves once the state is saved, and rejects with StoreError if that fails: `flush` tries again.
   * @param when `within`: as for `StateStore.save`; `every`: the least time between two writes, unless the last one has failed.
   * In milliseconds.
   */
  async set(state: State | undefined, { within = 0, every = 0 }: WriteTime = {}): Promise<void> {
    if (state === this.#current) return;
    this.#current = state;
    this.#isSaved = false;
    const now = systemClock.monotonic();
    if (every === 0 || this.#hasFailed) this.#writeAt = now + within;
    else if (now >= this.#writeAt) this.#writeAt = Math.max(now, this.#writeAt + every);
    // Sums of fractions are not exact.
    await this.#write(Math.round(this.#writeAt - now));
  }

  /** Resolves once the store has the current state; waits for no others. Throws StoreError if it cannot be written. */
  async flush(): Promise<void> {
    if (!this.#isSaved) await this.#write();
  }

  async #write(within?: number): Promise<void> {
    const state = this.#current;
    try {
      await this.#store?.save(state, within);
      this.#hasFailed = false;
      this.#isSaved ||= state === this.#current;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}
