// The ledger of a series in use: in memory it counts records once sent, in the store once delivered.
import type { Clock } from "../clock";
import type { DueRecord } from "../ledger/due-record";
import { type Ledger, type LedgerRule, newLedger, withRecords } from "../ledger/ledger";
import { type StateStore, StoredState } from "../stored-state";

/** Records sent together. */
export interface InFlight {
  /** The ledger that still owes them. */
  readonly before: Ledger;
  isDelivered: boolean;
}

/** Call `load` first, then `start` if nothing is stored. */
export class SeriesLedger {
  readonly #state: StoredState<Ledger>;
  readonly #rule: LedgerRule;
  readonly #clock: Clock;
  /** In the order sent. The stored ledger advances past an entry once it and all before it are delivered. */
  readonly #inFlight: InFlight[] = [];
  #current: Ledger | undefined;

  /** Without a store, the ledger lasts as long as this object. */
  constructor(store: StateStore<Ledger> | undefined, rule: LedgerRule, clock: Clock) {
    this.#state = new StoredState(store);
    this.#rule = rule;
    this.#clock = clock;
  }

  /** The ledger as if everything in flight were delivered. Throws RangeError before `load` or `start`. */
  get current(): Ledger {
    if (!this.#current) throw new RangeError("the ledger is not loaded");
    return this.#current;
  }

  /** Resolves to whether there is a stored ledger to continue from. Throws StoreError if it cannot be read. */
  async load(): Promise<boolean> {
    this.#current ??= await this.#state.load();
    return this.#current !== undefined;
  }

  /** Starts a new ledger that owes everything from `start` (milliseconds) on. */
  async start(start: number): Promise<void> {
    this.#current = newLedger(start);
    await this.#store();
  }

  /** Records in flight are not due again, but would be owed after a restart. */
  markInFlight(records: readonly DueRecord[]): InFlight {
    const inFlight = { before: this.current, isDelivered: false };
    this.#inFlight.push(inFlight);
    this.#current = withRecords(inFlight.before, records, this.#clock.now(), this.#rule);
    return inFlight;
  }

  /** Resolves once the store was written, or could not be: see `flush`. */
  async markDelivered(delivered: InFlight): Promise<void> {
    delivered.isDelivered = true;
    const firstOpen = this.#inFlight.findIndex(({ isDelivered }) => !isDelivered);
    this.#inFlight.splice(0, firstOpen === -1 ? this.#inFlight.length : firstOpen);
    await this.#store();
  }

  /** Changes what is left to read; what is in flight is not affected. */
  async update(change: (known: Ledger) => Ledger): Promise<void> {
    this.#current = change(this.current);
    await this.#store();
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  flush(): Promise<void> {
    return this.#state.flush();
  }

  async #store(): Promise<void> {
    await this.#state.set(this.#inFlight[0]?.before ?? this.current);
  }
}
