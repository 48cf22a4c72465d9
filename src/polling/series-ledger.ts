// The ledger of one series as it runs: what was handed over counts at once, what is stored waits until it is delivered.
import type { Clock } from "../clock";
import type { DueRecord } from "../ledger/due-record";
import { type Ledger, type LedgerRule, openLedger, withRecords } from "../ledger/ledger";
import { type StateStore, StoredState } from "../stored-state";

/** Records that were handed over together, and the ledger that still owes them. */
interface InFlight {
  readonly records: readonly DueRecord[];
  readonly before: Ledger;
  isDelivered: boolean;
}

export class SeriesLedger {
  readonly #state: StoredState<Ledger>;
  readonly #rule: LedgerRule;
  readonly #clock: Clock;
  /** In the order of handing over: what is stored goes on behind the last one before which all are delivered. */
  readonly #inFlight: InFlight[] = [];
  #current: Ledger | undefined;

  /** Without a store, the ledger lives as long as this object. */
  constructor(store: StateStore<Ledger> | undefined, rule: LedgerRule, clock: Clock) {
    this.#state = new StoredState(store);
    this.#rule = rule;
    this.#clock = clock;
  }

  /** What is left to read once everything that was handed over is delivered. Throws before `load` or `open`. */
  get current(): Ledger {
    if (!this.#current) throw new RangeError("the ledger is not open");
    return this.#current;
  }

  /** Records that were handed over and are not delivered yet. */
  get inFlightCount(): number {
    return this.#inFlight.reduce((sum, { records }) => sum + records.length, 0);
  }

  /** Whether there is a ledger to go on with. Throws StoreError when it cannot be read. */
  async load(): Promise<boolean> {
    this.#current ??= await this.#state.load();
    return this.#current !== undefined;
  }

  /** Starts a new ledger that owes everything from `start` (milliseconds) on. */
  async open(start: number): Promise<void> {
    this.#current = openLedger(start);
    await this.#store();
  }

  /** The records are on their way: they are not due again, but still owed after a restart. */
  handOver(records: readonly DueRecord[]): void {
    const before = this.current;
    this.#inFlight.push({ records, before, isDelivered: false });
    this.#current = withRecords(before, records, this.#clock.now(), this.#rule);
  }

  /** The records, as they were handed over, have arrived. Resolves when that was stored or could not be: see `flush`. */
  async deliver(records: readonly DueRecord[]): Promise<void> {
    const arrived = this.#inFlight.find((entry) => entry.records === records);
    if (arrived) arrived.isDelivered = true;
    const firstOpen = this.#inFlight.findIndex(({ isDelivered }) => !isDelivered);
    this.#inFlight.splice(0, firstOpen === -1 ? this.#inFlight.length : firstOpen);
    await this.#store();
  }

  /** Changes what is left to read, without touching what is in flight. */
  async update(change: (known: Ledger) => Ledger): Promise<void> {
    this.#current = change(this.current);
    await this.#store();
  }

  /** Resolves once the store has everything that is delivered. Throws StoreError. */
  flush(): Promise<void> {
    return this.#state.flush();
  }

  async #store(): Promise<void> {
    await this.#state.set(this.#inFlight[0]?.before ?? this.current);
  }
}
