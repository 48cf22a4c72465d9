// The ledger of one series as a node keeps it: in memory, and in its store with every change.
import type { Ledger } from "../../../src/records/ledger";
import type { LedgerKey, LedgerStore } from "./ledger-store";

export class SeriesLedger {
  /** Undefined until the first load, and where there is nothing yet. */
  current: Ledger | undefined;
  #isLoaded = false;
  #saving = Promise.resolve();
  #storeError: unknown;

  constructor(
    private readonly store: LedgerStore | undefined,
    private readonly key: LedgerKey,
  ) {}

  async load(): Promise<Ledger | undefined> {
    if (!this.#isLoaded) this.current = await this.store?.load(this.key);
    this.#isLoaded = true;
    return this.current;
  }

  /** Takes the change at once and saves it, one save after another. Never rejects: see `throwStoreError`. */
  async update(ledger: Ledger): Promise<Ledger> {
    if (ledger !== this.current) {
      this.current = ledger;
      this.#saving = this.#saving.then(() => this.#save(ledger));
    }
    await this.#saving;
    return ledger;
  }

  /** Throws what the store has failed with since the last call: records were delivered all the same. */
  throwStoreError(): void {
    const error = this.#storeError;
    this.#storeError = undefined;
    if (error) throw error;
  }

  /** Resolves when everything is saved. */
  settled(): Promise<void> {
    return this.#saving;
  }

  async #save(ledger: Ledger): Promise<void> {
    // A newer state is waiting to be saved: it holds this one.
    if (ledger !== this.current) return;
    try {
      await this.store?.save(this.key, ledger);
    } catch (error) {
      this.#storeError = error;
    }
  }
}
