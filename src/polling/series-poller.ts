// Polls one series of records: reads what its ledger owes, and goes on by itself once what had to wait is confirmed.
import { cursorTime, owedWindow } from "../ledger/ledger";
import { Delivery } from "./delivery";
import type { PollOutcome, PollRun } from "./ports";
import { SeriesLedger, type SeriesLedgerOptions } from "./series-ledger";
import { type PassOutcome, SeriesPass } from "./series-pass";

export type SeriesSummary = NonNullable<SeriesPoller["summary"]>;

export class SeriesPoller {
  readonly ledger: SeriesLedger;
  readonly delivery: Delivery;
  /** The last pass, which may still go on: one at a time. */
  #pass: Promise<unknown> = Promise.resolve();
  /** What is left of a run whose records wait until others are confirmed. */
  #rest: Promise<PollOutcome> | undefined;

  constructor(options: SeriesLedgerOptions) {
    this.ledger = new SeriesLedger(options);
    this.delivery = new Delivery(this.ledger);
  }

  /** Where the series stands; undefined before its ledger was loaded. */
  get summary() {
    const { loaded, givenUp, clock, rule } = this.ledger;
    const unconfirmed = this.delivery.unconfirmedCount;
    if (!loaded) return undefined;
    const { gaps, watched } = loaded;
    /** The next window to request; undefined if nothing is owed. */
    const owed = owedWindow(loaded, clock.now(), rule);
    return { cursor: cursorTime(loaded), owed, gaps, watched, givenUp, unconfirmed };
  }

  /** Whether anything of it is still to come by itself. */
  get isWaiting(): boolean {
    return this.delivery.unconfirmedCount > 0 || this.#rest !== undefined;
  }

  /** Reads and sends what is due. Throws like `SeriesPass.read`. */
  async read(run: PollRun): Promise<PollOutcome> {
    const { isBlocked, ...outcome } = await this.#read(run);
    if (!isBlocked) return { ...outcome, unconfirmed: 0 };
    const unconfirmed = this.delivery.unconfirmedCount;
    // Of a schedule, only the first run waits.
    if (this.#rest && !run.isByMessage) return { ...outcome, unconfirmed };
    const rest = this.#rest?.then(() => undefined) ?? (this.#rest = this.#goOn(run));
    // Whoever waits for it hears of its failure.
    rest.catch(() => undefined);
    return { ...outcome, unconfirmed, rest };
  }

  /** Reads on as often as nothing waits any longer, until that brings all. Resolves once that is stored. */
  async #goOn(run: PollRun): Promise<PollOutcome> {
    try {
      for (;;) {
        await this.delivery.whenUnblocked();
        const { isBlocked, ...outcome } = await this.#read(run);
        if (isBlocked) continue;
        await this.ledger.flush();
        return { ...outcome, unconfirmed: 0 };
      }
    } finally {
      this.#rest = undefined;
    }
  }

  async #read(run: PollRun): Promise<PassOutcome> {
    const pass = this.#pass.then(() => new SeriesPass(this.ledger, this.delivery, run).read());
    this.#pass = pass.then(
      ({ isBlocked }) => isBlocked && this.ledger.interruptRun(),
      () => this.ledger.interruptRun(),
    );
    await this.#pass;
    return pass;
  }
}
