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

const NOTHING_READ = { count: 0, newestEnd: undefined };

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
    const before = this.#rest;
    if (this.#options.isForgetful) {
      if (before) return this.#readAfter(before, run);
      this.#forget();
    }
    const { isBlocked, ...outcome } = await this.#readOnce(run);
    if (!isBlocked) return { unconfirmed: 0, ...outcome };
    const { unconfirmed } = this;
    if (!before) return { ...outcome, unconfirmed, rest: this.#goOn(run, this.delivery?.whenUnblocked()) };
    // Of a schedule, only the first run waits.
    return { ...outcome, unconfirmed, ...(run.isByMessage && { rest: before.then(() => undefined) }) };
  }

  /** Starts afresh once the runs before have sent what they had to. Until then, it only shows the newest record. */
  async #readAfter(before: Promise<unknown>, run: PollRun): Promise<PollOutcome> {
    const { count, newestEnd } = this.delivery?.isBlocked ? await this.#readOnce(run) : NOTHING_READ;
    const outcome = { count, newestEnd, unconfirmed: this.unconfirmed };
    if (!run.isByMessage) return outcome;
    const begin = before.catch(() => undefined).then(() => this.#forget());
    return { ...outcome, rest: this.#goOn(run, begin) };
  }

  #forget(): void {
    this.ledger = new SeriesLedger(this.#options);
  }

  /** Reads on from `begin`, and whenever nothing waits any longer, until that brings all. Resolves once that is stored. */
  #goOn(run: PollRun, begin: Promise<void> | undefined): Promise<PollOutcome> {
    const goOn = async (): Promise<PollOutcome> => {
      for (await begin; ; await this.delivery?.whenUnblocked()) {
        const { isBlocked, ...outcome } = await this.#readOnce(run);
        if (isBlocked) continue;
        await this.ledger.flush();
        return { unconfirmed: 0, ...outcome };
      }
    };
    const rest = goOn().finally(() => {
      if (this.#rest === rest) this.#rest = undefined;
    });
    // Reported by the run that waits for it.
    rest.catch(() => undefined);
    return (this.#rest = rest);
  }

  async #readOnce(run: PollRun): Promise<PassOutcome> {
    const pass = this.#pass.then(() => new SeriesPass(this.ledger, this.delivery, run).read());
    this.#pass = pass.then(
      ({ isBlocked }) => isBlocked && this.ledger.interruptRun(),
      () => this.ledger.interruptRun(),
    );
    await this.#pass;
    return pass;
  }
}
