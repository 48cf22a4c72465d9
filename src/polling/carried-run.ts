// A run whose ledger travels in messages: it comes with one, and each message sent takes the one that is true once that is
// delivered. Nothing is stored, and who made the run before, by which clock, is unknown.
import type { Clock } from "../clock";
import { AbortedError } from "../errors";
import { asOf, type DueRecord, withRecords } from "../ledger/due-records";
import { type Ledger, type LedgerMoment, newLedger } from "../ledger/ledger";
import { type GapAnswers, settle, withoutNoticed } from "../ledger/settling";
import { isAhead, rejectAhead } from "../ledger/stored-ledger";
import type { TimeWindow } from "../ledger/window";
import { eventLoopTurn, inPortions } from "../loop-turns";
import { HOUR, MINUTE } from "../time-units";
import type { Delivery } from "./delivery";
import type { Batch, PollOutcome, PollRule, PollRun, SeriesSummary } from "./ports";
import type { OpenLedger } from "./series-ledger";
import { SeriesPass, summaryOf } from "./series-pass";
import { SeriesReader } from "./series-reader";

/** Runs further apart do not count as watching: gaps are requested at least once an hour. */
const LONGEST_WATCH = HOUR;

export interface CarriedRunOptions {
  clock: Clock;
  rule: PollRule;
  /** The ledger that came with the message; undefined for a series that begins. */
  ledger: Ledger | undefined;
}

/** Of a complete run, with the ledger to hand back. */
export interface CarriedOutcome extends PollOutcome {
  ledger: Ledger;
  summary: SeriesSummary;
}

/**
 * Reads the series once; a batch is sent even if it is empty, so that the ledger always comes back. Throws what the source
 * throws, AbortedError, and InputError for a ledger that is ahead of the clock; then no ledger is handed back, and the one
 * that came still owes the records.
 */
export async function runCarried(
  { clock, rule, ledger: brought }: CarriedRunOptions,
  run: PollRun,
): Promise<CarriedOutcome> {
  const reader = new SeriesReader(clock, false);
  if (brought && isAhead(brought, clock.now())) {
    // The answer says what time it is.
    await reader.readLatest(run);
    rejectAhead(brought, clock.now());
  }
  const ledger = new CarriedRun(brought, rule, clock);
  const pass = new SeriesPass({ ledger, reader, delivery: ledger, clock, rule }, run);
  const { count, newestEnd, givenUp } = await pass.read();
  const { current } = ledger;
  const summary = summaryOf(current, clock.now(), rule, givenUp);
  return { count, newestEnd, unconfirmed: 0, ledger: current, summary };
}

/** The ledger of one run, and delivery that gives it to each message. */
export class CarriedRun implements OpenLedger, Delivery {
  readonly isBlocked = false;
  #current: Ledger | undefined;
  readonly #rule: PollRule;
  readonly #clock: Clock;

  constructor(brought: Ledger | undefined, rule: PollRule, clock: Clock) {
    this.#current = brought;
    this.#rule = rule;
    this.#clock = clock;
  }

  get current(): Ledger {
    if (!this.#current) throw new RangeError("the ledger is not loaded");
    return this.#current;
  }

  /** The ledger before the end of the run: whether that will be complete is not known yet. */
  get ledger(): Ledger {
    return interim(this.current);
  }

  load(): Promise<boolean> {
    return Promise.resolve(this.#current !== undefined);
  }

  start(start: number): void {
    this.#current = newLedger(start);
  }

  update(change: (known: Ledger) => Ledger): void {
    this.#current = change(this.current);
  }

  moment(): LedgerMoment {
    const { watched, completed } = this.current;
    const now = this.#clock.now();
    const elapsed = completed === undefined ? 0 : now - completed;
    return { now, watched: watched + (elapsed > 0 && elapsed <= LONGEST_WATCH ? elapsed : 0) };
  }

  completeRun(answers: GapAnswers): TimeWindow[] {
    const moment = this.moment();
    const { completed = moment.now } = this.current;
    const known = completed - moment.now > MINUTE ? withoutNoticed(this.current) : this.current;
    const { ledger, givenUp } = settle(known, answers, moment, this.#rule);
    this.#current = { ...ledger, completed: moment.now };
    return givenUp;
  }

  /** If sending throws, the ledger that came with the message is the one that still owes the records. */
  async send(due: readonly DueRecord[], { sink, signal }: PollRun): Promise<void> {
    const send = (records: readonly DueRecord[]): void => {
      let ledger = this.current;
      const batchOf = (record: DueRecord): Batch => {
        ledger = this.#after([record], ledger);
        return { records: this.#asOfNow([record]), ledger: interim(ledger) };
      };
      sink.send(records.map(batchOf));
      this.#current = ledger;
    };
    await inPortions(due, { signal, isWhole: false, send });
  }

  /** A batch is the last message of its run. One that has failed hands nothing back but what it has read. */
  async finish(due: readonly DueRecord[], { sink, signal }: PollRun, settleRun?: () => void): Promise<void> {
    if (!this.#rule.isBatch || (due.length === 0 && !settleRun)) {
      settleRun?.();
      return;
    }
    if (signal.aborted) throw new AbortedError();
    this.#current = this.#after(due, this.current);
    settleRun?.();
    sink.send([{ records: this.#asOfNow(due), ledger: settleRun ? this.current : this.ledger }]);
    await eventLoopTurn(signal);
  }

  #after(records: readonly DueRecord[], ledger: Ledger): Ledger {
    return withRecords(ledger, records, this.moment(), this.#rule);
  }

  #asOfNow(records: readonly DueRecord[]): DueRecord[] {
    return asOf(records, this.#clock.now(), this.#rule.maxAgeMinutes);
  }
}

function interim(ledger: Ledger): Ledger {
  return { ...ledger, completed: undefined };
}
