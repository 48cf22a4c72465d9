// A run whose ledger travels in messages: it comes with one, and each message sent takes the one that is true once that is
// delivered. Nothing is stored, and who made the run before, by which clock, is unknown.
import type { Clock } from "../clock";
import type { Ledger } from "../ledger/ledger";
import { isAhead, rejectAhead } from "../ledger/stored-ledger";
import { RecordReader } from "../reading/record-reader";
import { Told } from "../reading/told";
import { sentDelivery } from "./delivery";
import type { PollOutcome, PollRule, PollRun, SeriesSummary } from "./ports";
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
  const { givenUp, ...outcome } = await new SeriesPass(
    { ...parts, delivery: sentDelivery(parts) },
    run,
  ).read();
  const { current } = ledger;
  return {
    ...outcome,
    unconfirmed: 0,
    ledger: current,
    summary: summaryOf(current, clock.now(), rule, givenUp),
  };
}
