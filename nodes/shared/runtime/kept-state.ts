// A state that a node keeps: in memory, and in its store with every change.
import type { StateKey, StateReader, StateStore } from "./state-store";

export class KeptState<T> {
  #current: T | undefined;
  #isLoaded = false;
  #saving = Promise.resolve();
  #storeError: unknown;
  #isSaved = true;

  constructor(
    private readonly store: StateStore | undefined,
    private readonly key: StateKey,
    private readonly read: StateReader<T>,
  ) {}

  /** What was loaded or taken last; undefined where there is nothing yet. */
  get current(): T | undefined {
    return this.#current;
  }

  /** Reads the store the first time. Rejects with ConfigError when it cannot be read. */
  async load(): Promise<T | undefined> {
    if (!this.#isLoaded) {
      const stored = await this.store?.load(this.key, this.read);
      this.#current ??= stored;
    }
    this.#isLoaded = true;
    return this.#current;
  }

  /**
   * Takes the change at once and saves it, one save after another; what could not be saved is saved with the next update,
   * even if that changes nothing. Never rejects: see `throwStoreError`.
   */
  async update(state: T): Promise<T> {
    if (state !== this.#current || !this.#isSaved) {
      this.#current = state;
      this.#saving = this.#saving.then(() => this.#save(state));
    }
    await this.#saving;
    return state;
  }

  /** Throws what the store has failed with since the last call: the work was done all the same. */
  throwStoreError(): void {
    const error = this.#storeError;
    this.#storeError = undefined;
    if (error) throw error;
  }

  /** Resolves when everything is saved. */
  settled(): Promise<void> {
    return this.#saving;
  }

  async #save(state: T): Promise<void> {
    // A newer state is waiting to be saved: it holds this one.
    if (state !== this.#current) return;
    try {
      await this.store?.save(this.key, state);
      this.#isSaved = true;
    } catch (error) {
      this.#isSaved = false;
      this.#storeError = error;
    }
  }
}
