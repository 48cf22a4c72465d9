// A run whose ledger travels in messages: it comes with one, and each message sent takes the one that is true once that is
// delivered. Nothing is stored, and who made the run before, by which clock, is unknown.
import type { Clock } from "../clock";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-records";
import type { Ledger } from "../ledger/ledger";
import { isAhead, rejectAhead } from "../ledger/stored-ledger";
import { eventLoopTurn, inPortions } from "../loop-turns";
import { RecordReader } from "../reading/record-reader";
import { Told } from "../reading/told";
import type { Delivery, DeliveryParts } from "./delivery";
import type { Batch, PollOutcome, PollRule, PollRun, SeriesSummary } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { SeriesPass, summaryOf } from "./series-pass";

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
  if (brought && isAhead(brought, clock.now())) {
    // The answer says what time it is.
    await new RecordReader(run.source, clock, run.signal).readLatest();
    rejectAhead(brought, clock.now());
  }
  const ledger = new SeriesLedger({ rule, clock, carried: { brought } });
  const parts = { ledger, clock, rule, told: new Told() };
  const pass = new SeriesPass({ ...parts, delivery: new CarriedDelivery(parts) }, run);
  const { count, newestEnd, givenUp } = await pass.read();
  const { current } = ledger;
  const summary = summaryOf(current, clock.now(), rule, givenUp);
  return { count, newestEnd, unconfirmed: 0, ledger: current, summary };
}

/** Gives the ledger to each message. */
export class CarriedDelivery implements Delivery {
  readonly isBlocked = false;
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** The ledger before the end of the run: whether that will be complete is not known yet. */
  get ledger(): Ledger {
    return interim(this.#parts.ledger.current);
  }

  /** If sending throws, the ledger that came with the message is the one that still owes the records. */
  async send(due: readonly DueRecord[], { sink, signal }: PollRun): Promise<void> {
    const { ledger } = this.#parts;
    const send = (records: readonly DueRecord[]): void => {
      let after = ledger.current;
      const batchOf = (record: DueRecord): Batch => {
        after = ledger.after([record], after);
        return { records: [record], ledger: interim(after) };
      };
      sink.send(records.map(batchOf));
      ledger.update(() => after);
    };
    await inPortions(due, { signal, isWhole: false, send });
  }

  /** A batch is the last message of its run. One that has failed hands nothing back but what it has read. */
  async finish(due: readonly DueRecord[], { sink, signal }: PollRun, settleRun?: () => void): Promise<void> {
    const { ledger, rule } = this.#parts;
    if (!rule.isBatch || (due.length === 0 && !settleRun)) {
      settleRun?.();
      return;
    }
    if (signal.aborted) throw new AbortedError();
    ledger.update(() => ledger.after(due));
    settleRun?.();
    sink.send([{ records: due, ledger: settleRun ? ledger.current : this.ledger }]);
    await eventLoopTurn(signal);
  }
}

function interim(ledger: Ledger): Ledger {
  return { ...ledger, completed: undefined };
}
