// The ledger of a series in use: in memory it counts records once sent, in the store once delivered.
import type { Clock } from "../clock";
import { withRecords } from "../ledger/advance";
import type { DueRecord } from "../ledger/due-record";
import { type Ledger, type LedgerRule, type Moment, newLedger } from "../ledger/ledger";
import { withoutNoticed } from "../ledger/giving-up";
import { type StateStore, StoredState } from "../stored-state";
import { HOUR, MINUTE } from "../time-units";

/** Runs further apart do not count as watching: gaps are asked for at least once an hour. */
const MAX_PAUSE = HOUR;

/** How long a write waits for those of other series, in milliseconds; the end of a run does not wait. */
const GATHERING = 100;

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
  readonly #isCarried: boolean;
  /** The end of the last complete run, by the monotonic clock; undefined after a failure, or before the first run. */
  #watchedSince: number | undefined;
  /** By how much the clock and the monotonic clock differed at the end of the last complete run. */
  #offset: number | undefined;

  /**
   * Without a store, the ledger lasts as long as this object.
   * @param isCarried whether the ledger travels: who made the last run, and by which clock, is then unknown
   */
  constructor(store: StateStore<Ledger> | undefined, rule: LedgerRule, clock: Clock, isCarried = false) {
    this.#isCarried = isCarried;
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
    const { watched, completed } = this.current;
    const now = this.#clock.now();
    const since = this.#watchedSince;
    const more = since === undefined ? watchedElsewhere(completed, now) : this.#clock.monotonic() - since;
    return { now, watched: watched + more };
  }

  /** Resolves to whether there is a stored ledger to continue from. Throws StoreError if it cannot be read. */
  async load(): Promise<boolean> {
    this.#current ??= await this.#state.load();
    return this.#current !== undefined;
  }

  /** Starts a new ledger that owes everything from `start` (milliseconds) on. */
  start(start: number): void {
    this.#current = newLedger(start);
    this.#store();
  }

  /** Records in flight are not due again, but would be owed after a restart. */
  markInFlight(records: readonly DueRecord[]): InFlight {
    const inFlight = { before: this.current, isDelivered: false };
    this.#inFlight.push(inFlight);
    this.#current = this.after(records, inFlight.before);
    return inFlight;
  }

  /** A ledger once these records are delivered as well. */
  after(records: readonly DueRecord[], ledger: Ledger): Ledger {
    return withRecords(ledger, records, this.moment(), this.#rule);
  }

  /** Goes on from a ledger made by `after`; stored with the next change of another kind. For a ledger that travels. */
  advance(ledger: Ledger): void {
    this.#current = ledger;
  }

  /** Does not wait for the store: see `flush`. */
  markDelivered(delivered: InFlight): void {
    delivered.isDelivered = true;
    const firstOpen = this.#inFlight.findIndex(({ isDelivered }) => !isDelivered);
    this.#inFlight.splice(0, firstOpen === -1 ? this.#inFlight.length : firstOpen);
    this.#store();
  }

  /** Changes what is left to read; what is in flight is not affected. */
  update(change: (known: Ledger) => Ledger): void {
    this.#current = change(this.current);
    this.#store();
  }

  /** A run has read all that it had to: the time since the last one counts as watched while gaps are open. */
  completeRun(settled: (known: Ledger, moment: Moment) => Ledger): void {
    const moment = this.moment();
    this.#watchedSince = this.#clock.monotonic();
    const offset = moment.now - this.#watchedSince;
    const { completed = moment.now } = this.current;
    const wasSetBack =
      completed - moment.now > MINUTE || (this.#offset !== undefined && this.#offset - offset > MINUTE);
    this.#offset = offset;
    this.update((known) => {
      const ledger = settled(wasSetBack ? withoutNoticed(known) : known, moment);
      const watched = ledger.gaps.length > 0 ? moment.watched : ledger.watched;
      if (this.#isCarried) return { ...ledger, watched, completed: moment.now };
      return ledger.gaps.length > 0 ? { ...ledger, watched } : ledger;
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

  /** Whether everything delivered is stored. */
  get isStored(): boolean {
    return this.#state.isSaved;
  }

  #store(): void {
    // `flush` tries again, and reports what fails.
    this.#state.set(this.#inFlight[0]?.before ?? this.current, { within: GATHERING }).catch(() => undefined);
  }
}

/** What counts of the time since a complete run of whoever had the ledger before. */
function watchedElsewhere(completed: number | undefined, now: number): number {
  const elapsed = completed === undefined ? 0 : now - completed;
  return elapsed > 0 && elapsed <= MAX_PAUSE ? elapsed : 0;
}
