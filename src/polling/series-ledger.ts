// The ledger of a series in use: in memory it counts records once sent, in the store once delivered.
import type { Clock } from "../clock";
import { withRecords } from "../ledger/advance";
import type { DueRecord } from "../ledger/due-record";
import { type Ledger, type LedgerRule, type Moment, newLedger } from "../ledger/ledger";
import { withoutNoticed } from "../ledger/giving-up";
import { type StateStore, StoredState } from "../stored-state";
import { MINUTE } from "../time-units";

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
  /** The end of the last complete run, by the monotonic clock; undefined after a failure, or before the first run. */
  #watchedSince: number | undefined;
  /** By how much the clock and the monotonic clock differed at the end of the last complete run. */
  #offset: number | undefined;

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

  /** As `current`, but undefined before `load` or `start`. */
  get loaded(): Ledger | undefined {
    return this.#current;
  }

  /** Time counts as watched from one complete run to the next, so that nobody gives up what nobody could ask for. */
  moment(): Moment {
    const { watched } = this.current;
    const since = this.#watchedSince;
    const more = since === undefined ? 0 : this.#clock.monotonic() - since;
    return { now: this.#clock.now(), watched: watched + more };
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
    this.#current = withRecords(inFlight.before, records, this.moment(), this.#rule);
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

  /** A run has read all that it had to: the time since the last one counts as watched while gaps are open. */
  async completeRun(settled: (known: Ledger, moment: Moment) => Ledger): Promise<void> {
    const moment = this.moment();
    this.#watchedSince = this.#clock.monotonic();
    const offset = moment.now - this.#watchedSince;
    const wasSetBack = this.#offset !== undefined && this.#offset - offset > MINUTE;
    this.#offset = offset;
    await this.update((known) => {
      const ledger = settled(wasSetBack ? withoutNoticed(known) : known, moment);
      return ledger.gaps.length > 0 ? { ...ledger, watched: moment.watched } : ledger;
    });
  }

  /** A run could not read all that it had to. */
  interruptRun(): void {
    this.#watchedSince = undefined;
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  flush(): Promise<void> {
    return this.#state.flush();
  }

  async #store(): Promise<void> {
    await this.#state.set(this.#inFlight[0]?.before ?? this.current);
  }
}
