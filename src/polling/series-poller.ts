// Polls one series of records with a stored ledger: reads what it owes, and goes on once what had to wait is confirmed.
import { cursorTime, type Ledger, owedWindow } from "../ledger/ledger";
import { Told } from "../reading/told";
import { type Confirmation, ConfirmedDelivery, type ConfirmRule, sentDelivery } from "./delivery";
import type { PollOutcome, PollRule, PollRun, RecordSink, SeriesSummary } from "./ports";
import { SeriesLedger, type SeriesLedgerOptions } from "./series-ledger";
import { type SeriesParts, SeriesPass } from "./series-pass";

/** How the series of a node are polled. */
export interface PollerRules {
  rule: PollRule;
  /** Absent: records count as delivered once the flow has received them. */
  confirmRule?: ConfirmRule | undefined;
}

export class SeriesPoller {
  readonly #ledger: SeriesLedger;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #parts: SeriesParts;
  /** The run whose records wait until others are confirmed. */
  #blockedRun: PollRun | undefined;
  /** Calls of `whenSent` that wait until everything is sent. */
  readonly #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor({ confirmRule, ...options }: PollerRules & SeriesLedgerOptions) {
    const { clock, rule } = options;
    const ledger = new SeriesLedger(options);
    const told = new Told();
    const parts = { ledger, clock, rule, told };
    this.#ledger = ledger;
    this.#confirmed = confirmRule && new ConfirmedDelivery(parts, confirmRule);
    const delivery = this.#confirmed ?? sentDelivery(parts);
    // Not spread: each of thousands of spread objects would have a hidden class of its own.
    this.#parts = { ledger, clock, rule, told, delivery };
  }

  /** Where the series stands; undefined before its ledger was loaded. */
  get summary(): SeriesSummary | undefined {
    const { loaded, givenUp } = this.#ledger;
    const { clock, rule } = this.#parts;
    if (!loaded) return undefined;
    const { gaps, watched } = loaded;
    const owed = owedWindow(loaded, clock.now(), rule);
    return { cursor: cursorTime(loaded), owed, gaps, watched, givenUp, unconfirmed: this.unconfirmedCount };
  }

  /** The ledger to hand back after a run, where ledgers travel. Throws RangeError before the first run. */
  get ledger(): Ledger {
    return this.#ledger.current;
  }

  get unconfirmedCount(): number {
    return this.#confirmed?.unconfirmedCount ?? 0;
  }

  /** Reads as `read` does, and resolves once that is stored. Throws StoreError as well. */
  async run(run: PollRun): Promise<PollOutcome> {
    const outcome = await this.read(run);
    await this.stored();
    return outcome;
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  stored(): Promise<void> {
    return this.#ledger.flush();
  }

  /** Reads and sends what is due. Runs of one series must not overlap. Throws like `SeriesPass.read`. */
  async read(run: PollRun): Promise<PollOutcome> {
    const pass = new SeriesPass(this.#parts, run);
    const { isBlocked, ...outcome } = await pass.read().catch((error: unknown) => {
      this.#ledger.interruptRun();
      throw error;
    });
    if (isBlocked) {
      this.#ledger.interruptRun();
      this.#blockedRun ??= run;
      return { ...outcome, unconfirmed: this.unconfirmedCount };
    }
    this.#blockedRun = undefined;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    return { ...outcome, unconfirmed: 0 };
  }

  /** Resolves once everything that waits for confirmations is sent; rejects if that fails. Never, if the poller is stopped. */
  whenSent(): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }));
  }

  /**
   * Goes on with the run whose records had to wait, once they are sent. Undefined if there is none, or if its failure was
   * passed on to calls of `whenSent`. Otherwise it throws as `run` does.
   * @param report replaces that of the run, which is over
   */
  async resume(report: RecordSink["report"]): Promise<PollOutcome | undefined> {
    const run = this.#blockedRun;
    this.#blockedRun = undefined;
    if (!run) return undefined;
    try {
      return await this.run({ ...run, sink: { ...run.sink, report } });
    } catch (error) {
      if (this.#waiting.length === 0) throw error;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return undefined;
    }
  }

  /** The series had no turn in a run: the time until its next one does not count as watched. */
  missRun(): void {
    this.#ledger.interruptRun();
  }

  confirm(id: string): Confirmation {
    return this.#confirmed?.confirm(id) ?? "unknown";
  }

  stop(): void {
    this.#confirmed?.stop();
  }
}
