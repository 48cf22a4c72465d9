// The ledger of a series in use: in memory it counts records once sent, in the store once delivered.
import type { Clock } from "../clock";
import { type DueRecord, withRecords } from "../ledger/due-records";
import { type GapAnswers, newGap, settle } from "../ledger/gaps";
import { type Ledger, type LedgerMoment, newLedger } from "../ledger/ledger";
import { type StateStore, StoredState } from "../stored-state";
import { MINUTE, type TimeWindow } from "../time-units";
import type { Batch, PollRule } from "./ports";

/** How long a write waits for those of other series, in milliseconds; the end of a run does not wait. */
const GATHERING = 100;
/** The part of `gapHorizon` that one pause between two complete runs counts for, because one answer gives nothing up. */
const LONGEST_PAUSE = 1 / 2;
/** Where ledgers travel, no one knows whether the series was watched meanwhile. */
const LONGEST_PAUSE_CARRIED = 1 / 6;

/** How many of the gaps given up are remembered. */
const MAX_GIVEN_UP = 10;

export interface SeriesLedgerOptions {
  rule: PollRule;
  clock: Clock;
  /** Absent: the ledger lasts as long as this object. */
  store?: StateStore<Ledger> | undefined;
  /**
   * Where ledgers travel in messages, the one that came; undefined if none did. Nothing is stored then, and who made the run before,
   * by which clock, is unknown. Absent where ledgers are stored.
   */
  carried?: { brought: Ledger | undefined };
}

export interface InFlight {
  /** The ledger that still owes them. */
  readonly before: Ledger;
  isDelivered: boolean;
}

export class SeriesLedger {
  readonly #state: StoredState<Ledger>;
  readonly rule: PollRule;
  readonly clock: Clock;
  /** Whether it travels: nothing is stored then. */
  readonly isCarried: boolean;
  /** In the order sent. The stored ledger advances past an entry once it and all before it are delivered. */
  readonly #inFlight: InFlight[] = [];
  /** As `current`, but undefined before `load` or `start`. */
  loaded: Ledger | undefined;
  /** The end of the last complete run, by the monotonic clock; undefined after a failure, or before the first run. */
  #watchedSince: number | undefined;
  /** When this process started it at the newest record, by the monotonic clock. */
  begunAt: number | undefined;
  /** The last gaps given up since this object was created. */
  givenUp: readonly TimeWindow[] = [];

  constructor({ store, rule, clock, carried }: SeriesLedgerOptions) {
    this.#state = new StoredState(store);
    this.rule = rule;
    this.clock = clock;
    this.isCarried = carried !== undefined;
    this.loaded = carried?.brought;
  }

  /** As if everything that was sent were delivered. Throws RangeError before `load` or `start`. */
  get current(): Ledger {
    if (!this.loaded) throw new RangeError("the ledger is not loaded");
    return this.loaded;
  }

  /** Time counts as watched from one complete run to the next, so that nothing is given up that could not be requested. */
  #moment(): LedgerMoment {
    const { watched, completed } = this.current;
    const now = this.clock.now();
    const since = this.isCarried
      ? now - (completed ?? now)
      : this.clock.monotonic() - (this.#watchedSince ?? this.clock.monotonic());
    const longest = this.rule.gapHorizon * (this.isCarried ? LONGEST_PAUSE_CARRIED : LONGEST_PAUSE);
    return { now, watched: watched + Math.min(Math.max(since, 0), longest) };
  }

  /** Resolves to whether there is a ledger to continue from. Throws StoreError if it cannot be read. */
  async load(): Promise<boolean> {
    this.loaded ??= await this.#state.load();
    return this.loaded !== undefined;
  }

  /**
   * Starts a new ledger that owes everything from `start` on, of which all before `begin` was found to be empty. It is stored with the
   * first change, or by `keep`.
   */
  start(start: number, begin = start): void {
    const moment = { now: this.clock.now(), watched: 0 };
    const gaps = begin > start ? [newGap({ start, end: begin }, moment, this.rule)] : [];
    this.loaded = { ...newLedger(start), gaps };
  }

  /** Changes what is left to read. */
  update(ledger: Ledger): void {
    this.loaded = ledger;
    this.keep();
  }

  /** A run has read all that it had to. Returns what is given up. A time that is not sure notes nothing. */
  completeRun(answers: GapAnswers): TimeWindow[] {
    if (!this.clock.isSure) {
      this.interruptRun();
      return [];
    }
    const moment = this.#moment();
    const { completed = moment.now } = this.current;
    // Who made the run before, by a clock that was ahead, has counted time that had not passed.
    const known =
      this.isCarried && completed - moment.now > MINUTE
        ? { ...this.current, gaps: this.current.gaps.map((gap) => ({ ...gap, noticed: undefined })) }
        : this.current;
    const { ledger, givenUp } = settle(known, answers, moment, this.rule);
    this.update(this.isCarried ? { ...ledger, completed: moment.now } : ledger);
    this.#watchedSince = this.clock.monotonic();
    this.givenUp = [...this.givenUp, ...givenUp].slice(-MAX_GIVEN_UP);
    return givenUp;
  }

  /** A run could not read all that it had to. */
  interruptRun(): void {
    this.#watchedSince = undefined;
    if (this.interim) this.update(this.interim);
  }

  /** Records in flight are not due again, but would be owed after a restart. */
  markInFlight(records: readonly DueRecord[]): InFlight {
    const inFlight = { before: this.current, isDelivered: false };
    this.#inFlight.push(inFlight);
    this.loaded = this.after(records);
    return inFlight;
  }

  /** Where it travels, once there is one: as it is before the end of a run, of which it is not known yet whether it will be complete. */
  get interim(): Ledger | undefined {
    return this.isCarried && this.loaded ? { ...this.loaded, completed: undefined } : undefined;
  }

  /** Each record with the ledger that is true once it is delivered. */
  withLedgers(records: readonly DueRecord[]): Batch[] {
    let ledger = this.interim;
    return records.map((record) => ({ records: [record], ledger: (ledger = this.after([record], ledger)) }));
  }

  /** The ledger as it is once these records are delivered, too. */
  after(records: readonly DueRecord[], ledger = this.current): Ledger {
    return withRecords(ledger, records, this.#moment(), this.rule);
  }

  /** Does not wait for the store: see `flush`. */
  markDelivered(delivered: InFlight): void {
    delivered.isDelivered = true;
    const firstOpen = this.#inFlight.findIndex(({ isDelivered }) => !isDelivered);
    this.#inFlight.splice(0, firstOpen === -1 ? this.#inFlight.length : firstOpen);
    this.keep();
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  flush(): Promise<void> {
    return this.#state.flush();
  }

  /** Stores what is delivered. After `start`, call this once the service has answered, because it may refuse the series. */
  keep(): void {
    // `flush` tries again, and reports what fails.
    this.#state.set(this.#inFlight[0]?.before ?? this.current, GATHERING).catch(() => undefined);
  }
}
