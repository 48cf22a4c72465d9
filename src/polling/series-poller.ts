// Polls one series of records with a stored ledger: reads what it owes, and goes on once what had to wait is confirmed.
import type { Clock } from "../clock";
import type { Ledger } from "../ledger/ledger";
import type { TimeWindow } from "../ledger/window";
import { Told } from "../reading/told";
import type { StateStore } from "../stored-state";
import { type Confirmation, ConfirmedDelivery, type ConfirmRule, sentDelivery } from "./delivery";
import type { PollOutcome, PollRule, PollRun, RecordSink, SeriesSummary } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { SeriesPass, summaryOf } from "./series-pass";
import type { SeriesParts } from "./series-start";

/** How the series of a node are polled. */
export interface PollerRules {
  rule: PollRule;
  /** Absent: records count as delivered once the flow has received them. */
  confirmRule?: ConfirmRule | undefined;
}

export interface SeriesPollerOptions extends PollerRules {
  /** Absent: the position is lost with this object. */
  store?: StateStore<Ledger> | undefined;
  clock: Clock;
}

/** How many of the gaps given up are remembered. */
const MAX_GIVEN_UP = 10;

export class SeriesPoller {
  readonly #ledger: SeriesLedger;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #parts: SeriesParts;
  /** The run whose records wait until others are confirmed. */
  #blockedRun: PollRun | undefined;
  /** The last gaps given up since this object was created. */
  #givenUp: readonly TimeWindow[] = [];
  /** Calls of `whenSent` that wait until everything is sent. */
  readonly #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor({ store, clock, rule, confirmRule }: SeriesPollerOptions) {
    const ledger = new SeriesLedger({ store, rule, clock });
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
    const { loaded } = this.#ledger;
    const { clock, rule } = this.#parts;
    return loaded && summaryOf(loaded, clock.now(), rule, this.#givenUp, this.unconfirmedCount);
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
    const { isBlocked, givenUp, ...outcome } = await pass.read().catch((error: unknown) => {
      this.#ledger.interruptRun();
      throw error;
    });
    this.#givenUp = [...this.#givenUp, ...givenUp].slice(-MAX_GIVEN_UP);
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
