// Polls one series of records: reads what its ledger owes, and goes on by itself once what had to wait is confirmed.
import { cursorTime, type Ledger, owedWindow } from "../ledger/ledger";
import { ConfirmedDelivery, sentDelivery } from "./delivery";
import type { PollOutcome, PollRule, PollRun } from "./ports";
import { SeriesLedger, type SeriesLedgerOptions } from "./series-ledger";
import { type PassOutcome, type SeriesParts, SeriesPass } from "./series-pass";

export type SeriesSummary = NonNullable<SeriesPoller["summary"]>;

export class SeriesPoller {
  readonly #ledger: SeriesLedger;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #parts: SeriesParts;
  /** The last pass, which may still go on: one at a time. */
  #pass: Promise<unknown> = Promise.resolve();
  /** What is left of a run whose records wait until others are confirmed. */
  #rest: Promise<PollOutcome> | undefined;

  constructor(options: SeriesLedgerOptions & { rule: PollRule }) {
    const { clock, rule } = options;
    const { confirm, isBatch } = rule;
    const ledger = new SeriesLedger(options);
    this.#ledger = ledger;
    this.#confirmed = confirm && new ConfirmedDelivery(ledger, confirm, isBatch);
    const delivery = this.#confirmed ?? sentDelivery(ledger, rule);
    this.#parts = { ledger, clock, rule, delivery };
  }

  /** Where the series stands; undefined before its ledger was loaded. */
  get summary() {
    const { loaded, givenUp } = this.#ledger;
    const { clock, rule } = this.#parts;
    if (!loaded) return undefined;
    const { gaps, watched } = loaded;
    /** The next window to request; undefined if nothing is owed. */
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

  /** Whether anything of it is still to come by itself. */
  get isWaiting(): boolean {
    return this.unconfirmedCount > 0 || this.#rest !== undefined;
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  stored(): Promise<void> {
    return this.#ledger.flush();
  }

  /** Reads and sends what is due. Throws like `SeriesPass.read`. */
  async read(run: PollRun): Promise<PollOutcome> {
    const { isBlocked, ...outcome } = await this.#read(run);
    if (!isBlocked) return { ...outcome, unconfirmed: 0 };
    const unconfirmed = this.unconfirmedCount;
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
        await this.#confirmed?.whenUnblocked();
        const { isBlocked, ...outcome } = await this.#read(run);
        if (isBlocked) continue;
        await this.stored();
        return { ...outcome, unconfirmed: 0 };
      }
    } finally {
      this.#rest = undefined;
    }
  }

  async #read(run: PollRun): Promise<PassOutcome> {
    const pass = this.#pass.then(() => new SeriesPass(this.#parts, run).read());
    this.#pass = pass.then(
      ({ isBlocked }) => isBlocked && this.#ledger.interruptRun(),
      () => this.#ledger.interruptRun(),
    );
    await this.#pass;
    return pass;
  }

  /** The series had no turn in a run: the time until its next one does not count as watched. */
  missRun(): void {
    this.#ledger.interruptRun();
  }

  /** Returns false for an id that was not issued here. */
  confirm(id: string): boolean {
    return this.#confirmed?.confirm(id) ?? false;
  }

  stop(): void {
    this.#confirmed?.stop();
  }
}
