// Polls one series of records: reads what its ledger owes, and goes on by itself once what had to wait is confirmed.
import { cursorTime, owedWindow } from "../ledger/ledger";
import { ConfirmedDelivery } from "./delivery";
import type { PollOutcome, PollRun } from "./ports";
import { SeriesLedger, type SeriesLedgerOptions } from "./series-ledger";
import { type PassOutcome, SeriesPass } from "./series-pass";

export type SeriesSummary = NonNullable<SeriesPoller["summary"]>;

interface SeriesPollerOptions extends SeriesLedgerOptions {
  /** Whether each run starts afresh, once those before it have sent what they had to: what they read is not remembered. */
  isForgetful?: boolean;
}

const NOTHING_READ: PassOutcome = { count: 0, newestEnd: undefined, isBlocked: true };

export class SeriesPoller {
  readonly #options: SeriesPollerOptions;
  ledger: SeriesLedger;
  readonly delivery: ConfirmedDelivery | undefined;
  /** The last pass, which may still go on: one at a time. */
  #pass: Promise<unknown> = Promise.resolve();
  /** What is left of the runs whose records wait until others are confirmed: settles with the last of them. */
  #rest: Promise<PollOutcome> | undefined;

  constructor(options: SeriesPollerOptions) {
    const { confirm } = options.rule;
    this.#options = options;
    this.ledger = new SeriesLedger(options);
    this.delivery = confirm && new ConfirmedDelivery(confirm);
  }

  /** Where the series stands; undefined before its ledger was loaded. */
  get summary() {
    const { loaded, givenUp, clock, rule } = this.ledger;
    if (!loaded) return undefined;
    const { gaps, watched } = loaded;
    /** The next window to request; undefined if nothing is owed. */
    const owed = owedWindow(loaded, clock.now(), rule);
    return { cursor: cursorTime(loaded), owed, gaps, watched, givenUp, unconfirmed: this.unconfirmed };
  }

  /** How many records are not confirmed. */
  get unconfirmed(): number {
    return this.delivery?.unconfirmedCount ?? 0;
  }

  /** Whether anything of it is still to come by itself. */
  get isWaiting(): boolean {
    return this.unconfirmed > 0 || this.#rest !== undefined;
  }

  /** Reads and sends what is due. Throws like `SeriesPass.read`. */
  async read(run: PollRun): Promise<PollOutcome> {
    const { isForgetful = false } = this.#options;
    const before = this.#rest;
    const isToCome = isForgetful && before !== undefined;
    if (isForgetful && !before) this.ledger = new SeriesLedger(this.#options);
    // While those before it wait, it only shows the newest record.
    const isIdle = isToCome && this.delivery?.isBlocked !== true;
    const { isBlocked, ...outcome } = isIdle ? NOTHING_READ : await this.#read(run);
    if (!isBlocked && !isToCome) return { ...outcome, unconfirmed: 0 };
    const { unconfirmed } = this;
    // Of a schedule, only the first run waits.
    if (before && !run.isByMessage) return { ...outcome, unconfirmed };
    const rest = before && !isForgetful ? before.then(() => undefined) : this.#goOn(run, before);
    // Whoever waits for it hears of its failure.
    rest.catch(() => undefined);
    return { ...outcome, unconfirmed, rest };
  }

  /**
   * Reads on as often as nothing waits any longer, until that brings all. Resolves once that is stored.
   * @param before the runs that come first: this one has not read anything yet
   */
  #goOn(run: PollRun, before: Promise<unknown> | undefined): Promise<PollOutcome> {
    const goOn = async (): Promise<PollOutcome> => {
      if (before) {
        await before.catch(() => undefined);
        this.ledger = new SeriesLedger(this.#options);
      } else {
        await this.delivery?.whenUnblocked();
      }
      for (;;) {
        const { isBlocked, ...outcome } = await this.#read(run);
        if (!isBlocked) {
          await this.ledger.flush();
          return { ...outcome, unconfirmed: 0 };
        }
        await this.delivery?.whenUnblocked();
      }
    };
    const rest = goOn().finally(() => {
      if (this.#rest === rest) this.#rest = undefined;
    });
    return (this.#rest = rest);
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
