// Polls one series of records: reads what its ledger owes, hands over what is due, and only then moves the ledger on.
import type { Clock } from "../clock";
import { isFresh } from "../decisions/freshness";
import { DueRecord } from "../ledger/due-record";
import { type GapRequests, gapRequests, openGaps } from "../ledger/gaps";
import {
  cursorTime,
  dueRecords,
  type Ledger,
  type LedgerRule,
  owedWindow,
  settle,
  withAskedGaps,
} from "../ledger/ledger";
import type { TimedRecord } from "../models/timed-record";
import { LONGEST_WINDOW, type TimeWindow } from "../ledger/window";
import type { StateStore } from "../stored-state";
import { type Confirmation, ConfirmedDelivery, type ConfirmRule } from "./confirmed-delivery";
import { type Delivery, type RunConditions, SentDelivery } from "./delivery";
import type { RecordSource } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { type Answer, joined, SeriesReader } from "./series-reader";

export interface PollRule extends LedgerRule {
  /** Milliseconds before now at which a new ledger starts; undefined = with the newest record. */
  startBefore: number | undefined;
  /** One message for all records of a run. */
  isBatch: boolean;
}

export interface SeriesPollerOptions {
  source: RecordSource;
  /** Absent: nothing is remembered. */
  store?: StateStore<Ledger> | undefined;
  clock: Clock;
  rule: PollRule;
  /** Absent: what the flow has counts as delivered. */
  confirmRule?: ConfirmRule | undefined;
}

export interface PollRun extends RunConditions {
  /** Where a series without a stored position starts, in milliseconds. */
  start?: number | undefined;
}

/** What a run has brought. */
export interface PollOutcome {
  count: number;
  /** End of the newest record, in milliseconds. */
  newestEnd: number | undefined;
  /** Records that wait for a confirmation and hold others up. */
  unconfirmed: number;
}

/** What one run has read and handed over so far. */
interface Progress {
  readonly run: PollRun;
  /** For the one message of a batch: what was read. */
  readonly collected: Answer[];
  count: number;
  isHeldUp: boolean;
  /** A copy of the newest record of the series, where this run brought it. */
  newest: DueRecord | undefined;
}

export class SeriesPoller {
  readonly #reader: SeriesReader;
  readonly #clock: Clock;
  readonly #rule: PollRule;
  readonly #ledger: SeriesLedger;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #delivery: Delivery;

  constructor({ source, store, clock, rule, confirmRule }: SeriesPollerOptions) {
    this.#reader = new SeriesReader(source, clock);
    this.#clock = clock;
    this.#rule = rule;
    this.#ledger = new SeriesLedger(store, rule, clock);
    this.#confirmed = confirmRule && new ConfirmedDelivery(this.#ledger, confirmRule);
    this.#delivery = this.#confirmed ?? new SentDelivery(this.#ledger);
  }

  /** Records that wait for a confirmation. */
  get unconfirmedCount(): number {
    return this.#confirmed?.unconfirmedCount ?? 0;
  }

  /**
   * One run: everything from the position to now, then the gaps that are due. Runs of one series never overlap.
   * Throws what the source throws, StoreError, and AbortedError; what was handed over by then stays handed over.
   */
  async run(run: PollRun): Promise<PollOutcome> {
    const first = await this.#open(run);
    const progress: Progress = { run, collected: [], count: 0, isHeldUp: false, newest: undefined };
    // What this run misses is not due again in the same run.
    const gaps = this.#dueGaps(run);
    const shown = await this.#showNewest(run);
    await this.#readOwed(progress, first);
    try {
      await this.#readGaps(progress, gaps);
    } finally {
      // What was read goes out, although a gap could not be read.
      if (!run.signal.aborted) await this.#finish(progress, shown);
    }
    if (!progress.isHeldUp) await this.#settle(gaps);
    await this.#ledger.flush();
    const unconfirmed = progress.isHeldUp ? this.unconfirmedCount : 0;
    return { count: progress.count, newestEnd: progress.newest?.end, unconfirmed };
  }

  /** A delivery id that came back. */
  confirm(id: string): Confirmation {
    return this.#confirmed?.confirm(id) ?? "unknown";
  }

  /** Leaves no timer behind: nothing is sent again. */
  stop(): void {
    this.#confirmed?.stop();
  }

  /** Resolves once everything delivered is stored or could not be. Never rejects. */
  async close(): Promise<void> {
    await this.#ledger.flush().catch(() => undefined);
  }

  /** Takes up the ledger or starts a new one: where it was told to, or with the newest record, which it then has read. */
  async #open({ signal, start }: PollRun): Promise<Answer | undefined> {
    if (await this.#ledger.load()) return undefined;
    const { startBefore } = this.#rule;
    const from = start ?? (startBefore === undefined ? undefined : this.#clock.now() - startBefore);
    if (from !== undefined) {
      await this.#ledger.open(from);
      return undefined;
    }
    const answer = await this.#reader.readNewest(signal);
    const newest = this.#reader.newestOf(answer)?.start ?? answer.window.start;
    await this.#ledger.open(newest);
    return { ...answer, window: { start: newest, end: answer.window.end } };
  }

  /** Behind by more than one request, the newest record is shown at once; the flow gets it again in its turn. */
  async #showNewest(run: PollRun): Promise<TimedRecord | undefined> {
    const { current } = this.#ledger;
    const isBehind = this.#clock.now() - cursorTime(current) > LONGEST_WINDOW;
    if (!run.sink.sendNewest || !isBehind) return undefined;
    const newest = this.#reader.newestOf(await this.#reader.readLatest(run.signal));
    if (newest) await this.#sendNewest(run, new DueRecord(newest, "live", current.cursor));
    return newest;
  }

  /** Everything from the cursor to now; what was read already is not requested again. */
  async #readOwed(progress: Progress, first: Answer | undefined): Promise<void> {
    const { signal } = progress.run;
    if (first) await this.#take(progress, first);
    let window = this.#owedWindow(first?.window.end);
    let reading = window && this.#reader.readAhead(window, signal);
    while (window && reading && !progress.isHeldUp) {
      const answer = await reading;
      window = this.#owedWindow(window.end);
      // The service prepares the next answer while the flow takes this one.
      reading = window && this.#reader.readAhead(window, signal);
      await this.#take(progress, answer);
    }
  }

  async #readGaps(progress: Progress, { windows }: GapRequests): Promise<void> {
    for (const window of windows) {
      if (progress.isHeldUp) return;
      await this.#take(progress, await this.#reader.read(window, progress.run.signal));
    }
  }

  async #take(progress: Progress, answer: Answer): Promise<void> {
    if (this.#rule.isBatch) progress.collected.push(answer);
    else await this.#handOver(progress, answer);
  }

  async #finish(progress: Progress, shown: TimedRecord | undefined): Promise<void> {
    const { collected, run } = progress;
    if (collected.length > 0) await this.#handOver(progress, joined(collected));
    const { newest } = progress;
    if (newest && newest.start !== shown?.start) await this.#sendNewest(run, newest);
  }

  async #handOver(progress: Progress, { window, records }: Answer): Promise<void> {
    const { current } = this.#ledger;
    const rule = this.#rule;
    const due = dueRecords(current, records, { window, now: this.#clock.now(), rule });
    if (due.length === 0) return;
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    // Copied before the flow may change it.
    progress.newest = due.findLast(({ end }) => end === newestEnd)?.copy() ?? progress.newest;
    progress.count += due.length;
    const messages = rule.isBatch ? [due] : due.map((record) => [record]);
    progress.isHeldUp = (await this.#delivery.send(messages, progress.run)) === "held up";
  }

  async #sendNewest({ sink }: PollRun, newest: DueRecord): Promise<void> {
    if (isFresh(newest.end, this.#clock.now(), this.#rule.maxAgeMinutes)) await sink.sendNewest?.(newest);
  }

  #owedWindow(after?: number): TimeWindow | undefined {
    return owedWindow(this.#ledger.current, this.#clock.now(), this.#rule, after);
  }

  #dueGaps({ isTriggered }: PollRun): GapRequests {
    const now = this.#clock.now();
    return gapRequests(openGaps(this.#ledger.current.gaps, now, this.#rule.gapHorizon), now, isTriggered);
  }

  /** Everything was read: the pauses of the gaps grow, and what is too old is given up. */
  async #settle({ gaps }: GapRequests): Promise<void> {
    const now = this.#clock.now();
    await this.#ledger.update((known) => settle(withAskedGaps(known, gaps, now), now, this.#rule));
  }
}
