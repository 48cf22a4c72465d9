// The ledger of a series in use: in memory it counts records once sent, in the store once delivered.
import type { Clock } from "../clock";
import { type DueRecord, withRecords } from "../ledger/due-records";
import { type Ledger, type LedgerRule, type LedgerMoment, newLedger } from "../ledger/ledger";
import { type GapAnswers, settle, withoutNoticed } from "../ledger/settling";
import type { TimeWindow } from "../ledger/window";
import { type StateStore, StoredState } from "../stored-state";
import { MINUTE } from "../time-units";

/** How long a write waits for those of other series, in milliseconds; the end of a run does not wait. */
const GATHERING = 100;

/** The ledger that a run reads for. Times in milliseconds. */
export interface OpenLedger {
  /** As if everything that was sent were delivered. Throws RangeError before `load` or `start`. */
  readonly current: Ledger;
  moment(): LedgerMoment;
  /** Resolves to whether there is a ledger to continue from. Throws StoreError if it cannot be read. */
  load(): Promise<boolean>;
  /** Starts a new ledger that owes everything from `start` on. */
  start(start: number): void;
  /** Changes what is left to read. */
  update(change: (known: Ledger) => Ledger): void;
  /** A run has read all that it had to. Returns what is given up. */
  completeRun(answers: GapAnswers): TimeWindow[];
}

/** Records sent together. */
export interface InFlight {
  /** The ledger that still owes them. */
  readonly before: Ledger;
  isDelivered: boolean;
}

export class SeriesLedger implements OpenLedger {
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

  get current(): Ledger {
    if (!this.#current) throw new RangeError("the ledger is not loaded");
    return this.#current;
  }

  /** As `current`, but undefined before `load` or `start`. */
  get loaded(): Ledger | undefined {
    return this.#current;
  }

  /** Time counts as watched from one complete run to the next, so that nothing is given up that could not be requested. */
  moment(): LedgerMoment {
    const more = this.#watchedSince === undefined ? 0 : this.#clock.monotonic() - this.#watchedSince;
    return { now: this.#clock.now(), watched: this.current.watched + more };
  }

  async load(): Promise<boolean> {
    this.#current ??= await this.#state.load();
    return this.#current !== undefined;
  }

  start(start: number): void {
    this.#current = newLedger(start);
    this.#store();
  }

  update(change: (known: Ledger) => Ledger): void {
    this.#current = change(this.current);
    this.#store();
  }

  completeRun(answers: GapAnswers): TimeWindow[] {
    const moment = this.moment();
    this.#watchedSince = this.#clock.monotonic();
    const offset = moment.now - this.#watchedSince;
    const wasSetBack = this.#offset !== undefined && this.#offset - offset > MINUTE;
    this.#offset = offset;
    const known = wasSetBack ? withoutNoticed(this.current) : this.current;
    const { ledger, givenUp } = settle(known, answers, moment, this.#rule);
    this.update(() => ledger);
    return givenUp;
  }

  /** A run could not read all that it had to. */
  interruptRun(): void {
    this.#watchedSince = undefined;
  }

  /** Records in flight are not due again, but would be owed after a restart. */
  markInFlight(records: readonly DueRecord[]): InFlight {
    const inFlight = { before: this.current, isDelivered: false };
    this.#inFlight.push(inFlight);
    this.#current = withRecords(inFlight.before, records, this.moment(), this.#rule);
    return inFlight;
  }

  /** Does not wait for the store: see `flush`. */
  markDelivered(delivered: InFlight): void {
    delivered.isDelivered = true;
    const firstOpen = this.#inFlight.findIndex(({ isDelivered }) => !isDelivered);
    this.#inFlight.splice(0, firstOpen === -1 ? this.#inFlight.length : firstOpen);
    this.#store();
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
