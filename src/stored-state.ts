// State held in memory and written to a store on every change.

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
  /** All that are stored and can be read, by name. Rejects with StoreError. */
  load(): Promise<Map<string, State>>;
  /** As `StateStore.save`. */
  save(name: string, state: State | undefined, within?: number): Promise<void>;
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

export class StoredState<State> {
  readonly #store: StateStore<State> | undefined;
  #current: State | undefined;
  #isLoaded = false;
  #isSaved = true;

  /** Without a store, the state lasts as long as this object. */
  constructor(store: StateStore<State> | undefined) {
    this.#store = store;
  }

  /** Whether the store has the current state. */
  get isSaved(): boolean {
    return this.#isSaved;
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
   * @param within as for `StateStore.save`
   */
  async set(state: State | undefined, within?: number): Promise<void> {
    if (state === this.#current) return;
    this.#current = state;
    this.#isSaved = false;
    await this.flush(within);
  }

  /** Resolves once the store has the current state; by default, waits for no others. Throws StoreError if it cannot be written. */
  async flush(within?: number): Promise<void> {
    if (this.#isSaved) return;
    const state = this.#current;
    await this.#store?.save(state, within);
    if (state === this.#current) this.#isSaved = true;
  }
}
