// A state in memory that is written to a store with every change.

/** Where one state is stored between restarts. Both reject with StoreError. */
export interface StateStore<State> {
  /** Undefined where there is none, or none that can be read. */
  load(): Promise<State | undefined>;
  save(state: State): Promise<void>;
}

export class StoredState<State> {
  readonly #store: StateStore<State> | undefined;
  #current: State | undefined;
  #isLoaded = false;
  /** Whether the store has the current state. */
  #isSaved = true;
  #saving = Promise.resolve();

  /** Without a store, the state lives as long as this object. */
  constructor(store: StateStore<State> | undefined) {
    this.#store = store;
  }

  /** What was loaded or set last; undefined where there is nothing yet. */
  get current(): State | undefined {
    return this.#current;
  }

  /** Reads the store the first time. Throws StoreError; the next call then tries again. */
  async load(): Promise<State | undefined> {
    if (!this.#isLoaded) {
      const stored = await this.#store?.load();
      this.#current ??= stored;
      this.#isLoaded = true;
    }
    return this.#current;
  }

  /** Takes the state at once, and resolves when it was written or could not be: `flush` then tries again. Never rejects. */
  async set(state: State): Promise<void> {
    if (state === this.#current) return;
    this.#current = state;
    this.#isSaved = false;
    await this.#write().catch(() => undefined);
  }

  /** Resolves once the store has the current state. Throws StoreError when it cannot be written. */
  async flush(): Promise<void> {
    if (this.#isSaved) await this.#saving;
    else await this.#write();
  }

  /** One write after another, each with the newest state: those that waited meanwhile need none of their own. */
  #write(): Promise<void> {
    const writing = this.#saving.then(() => this.#writeCurrent());
    this.#saving = writing.catch(() => undefined);
    return writing;
  }

  async #writeCurrent(): Promise<void> {
    const state = this.#current;
    if (this.#isSaved || state === undefined) return;
    await this.#store?.save(state);
    this.#isSaved = state === this.#current;
  }
}
