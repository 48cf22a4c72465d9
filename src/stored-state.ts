// State held in memory and written to a store on every change.

/** Keeps one state across restarts. Both methods reject with StoreError. */
export interface StateStore<State> {
  /** Undefined if nothing is stored, or nothing that can be parsed. */
  load(): Promise<State | undefined>;
  /** A store may wait a moment, to write several states together. */
  save(state: State): Promise<void>;
  /** Ends that wait. */
  hurry?(): void;
}

/** Keeps several states of one kind across restarts, each by its name. All methods reject with StoreError. */
export interface StateGroup<State> {
  /** All that are stored and can be parsed. */
  load(): Promise<State[]>;
  save(name: string, state: State): Promise<void>;
  /** Resolves if there is none, too. */
  remove(name: string): Promise<void>;
}

export class StoredState<State> {
  readonly #store: StateStore<State> | undefined;
  #current: State | undefined;
  #isLoaded = false;
  #isSaved = true;
  #saving = Promise.resolve();
  /** How many wait until the current state is saved. */
  #waiting = 0;

  /** Without a store, the state lasts as long as this object. */
  constructor(store: StateStore<State> | undefined) {
    this.#store = store;
  }

  /** The state last loaded or set, if any. */
  get current(): State | undefined {
    return this.#current;
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

  /** Applies immediately; resolves once the write succeeds or fails. `flush` retries a failed write. Never rejects. */
  async set(state: State): Promise<void> {
    if (state === this.#current) return;
    this.#current = state;
    this.#isSaved = false;
    await this.#write().catch(() => undefined);
  }

  /** Resolves once the store has the current state. Throws StoreError when it cannot be written. */
  async flush(): Promise<void> {
    this.#waiting += 1;
    this.#store?.hurry?.();
    try {
      await (this.#isSaved ? this.#saving : this.#write());
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Writes one at a time, always the newest state: a write that waited may find its state already saved. */
  #write(): Promise<void> {
    const writing = this.#saving.then(() => this.#writeCurrent());
    this.#saving = writing.catch(() => undefined);
    return writing;
  }

  async #writeCurrent(): Promise<void> {
    const state = this.#current;
    if (this.#isSaved || state === undefined) return;
    const saved = this.#store?.save(state);
    if (this.#waiting > 0) this.#store?.hurry?.();
    await saved;
    this.#isSaved = state === this.#current;
  }
}
