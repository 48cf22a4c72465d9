// Polls one series of records: reads what its ledger owes, sends what is due, and only then advances the ledger.
import type { Clock } from "../clock";
import { isFresh } from "../decisions/freshness";
import { DueRecord, grouped } from "../ledger/due-record";
import { type GapRequests, gapRequests, openGaps } from "../ledger/gaps";
import {
  cursorTime,
  dueRecords,
  type Ledger,
  type LedgerRule,
  owedWindow,
  settle,
  withRetriedGaps,
} from "../ledger/ledger";
import type { TimedRecord } from "../models/timed-record";
import { MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { StateStore } from "../stored-state";
import { type Confirmation, ConfirmedDelivery, type ConfirmRule } from "./confirmed-delivery";
import { type Delivery, type RunConditions, SentDelivery } from "./delivery";
import type { RecordSource } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { type WindowRecords, mergeResponses, SeriesReader } from "./series-reader";

export interface PollRule extends LedgerRule {
  /** How many milliseconds before now a new ledger starts; undefined = at the newest record. */
  startBefore: number | undefined;
  /** Whether all records of a run are sent as one message. */
  isBatch: boolean;
}

export interface SeriesPollerOptions {
  source: RecordSource;
  /** Absent: the position is lost with this object. */
  store?: StateStore<Ledger> | undefined;
  clock: Clock;
  rule: PollRule;
  /** Absent: records count as delivered once the flow has received them. */
  confirmRule?: ConfirmRule | undefined;
}

export interface PollRun extends RunConditions {
  /** Where to start if no position is stored, in milliseconds. */
  start?: number | undefined;
}

/** The result of a run. */
export interface PollOutcome {
  /** Records sent. */
  count: number;
  /** End of the newest record, in milliseconds. */
  newestEnd: number | undefined;
  /** Unconfirmed records, if they block others; otherwise 0. */
  unconfirmed: number;
}

/** What a run has read and sent so far. */
interface Progress {
  readonly run: PollRun;
  /** Responses read for the single message of a batch. */
  readonly collected: WindowRecords[];
  count: number;
  isBlocked: boolean;
  /** A copy of the newest record of the series, if this run sent it. */
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

  /** Records sent and not yet confirmed. */
  get unconfirmedCount(): number {
    return this.#confirmed?.unconfirmedCount ?? 0;
  }

  /**
   * Reads everything from the cursor to now, then retries the gaps that are due. Runs of one series must not overlap.
   * Throws what the source throws, StoreError and AbortedError; records sent by then stay sent.
   */
  async run(run: PollRun): Promise<PollOutcome> {
    const first = await this.#start(run);
    const progress: Progress = { run, collected: [], count: 0, isBlocked: false, newest: undefined };
    // Determined first, so that gaps noticed in this run are not retried in the same run.
    const gaps = this.#dueGaps(run);
    const shown = await this.#showNewest(run);
    await this.#readOwed(progress, first);
    try {
      await this.#readGaps(progress, gaps);
    } finally {
      // What was read is sent even if a gap could not be read.
      if (!run.signal.aborted) await this.#finish(progress, shown);
    }
    if (!progress.isBlocked) await this.#settle(gaps);
    await this.#ledger.flush();
    const unconfirmed = progress.isBlocked ? this.unconfirmedCount : 0;
    return { count: progress.count, newestEnd: progress.newest?.end, unconfirmed };
  }

  /** Confirms a delivery by its id. */
  confirm(id: string): Confirmation {
    return this.#confirmed?.confirm(id) ?? "unknown";
  }

  /** Stops resending unconfirmed records. */
  stop(): void {
    this.#confirmed?.stop();
  }

  /** Resolves once everything delivered is stored, as far as possible. Never rejects. */
  async close(): Promise<void> {
    await this.#ledger.flush().catch(() => undefined);
  }

  /** Loads the ledger, or starts a new one at the requested time or at the newest record, whose response it returns. */
  async #start({ signal, start }: PollRun): Promise<WindowRecords | undefined> {
    if (await this.#ledger.load()) return undefined;
    const { startBefore } = this.#rule;
    const from = start ?? (startBefore === undefined ? undefined : this.#clock.now() - startBefore);
    if (from !== undefined) {
      await this.#ledger.start(from);
      return undefined;
    }
    const response = await this.#reader.readNewest(signal);
    const newest = this.#reader.newestOf(response)?.start ?? response.window.start;
    await this.#ledger.start(newest);
    return { ...response, window: { start: newest, end: response.window.end } };
  }

  /** If behind by more than one request, sends the newest record ahead of its turn, in which it is sent again. */
  async #showNewest(run: PollRun): Promise<TimedRecord | undefined> {
    const { current } = this.#ledger;
    const isBehind = this.#clock.now() - cursorTime(current) > MAX_WINDOW;
    if (!run.sink.sendNewest || !isBehind) return undefined;
    const newest = this.#reader.newestOf(await this.#reader.readLatest(run.signal));
    if (newest) await this.#sendNewest(run, new DueRecord(newest, "live", current.cursor));
    return newest;
  }

  /** Reads everything from the cursor to now, except what `first` contains. */
  async #readOwed(progress: Progress, first: WindowRecords | undefined): Promise<void> {
    const { signal } = progress.run;
    if (first) await this.#process(progress, first);
    let window = this.#owedWindow(first?.window.end);
    let reading = window && this.#reader.readAhead(window, signal);
    while (window && reading && !progress.isBlocked) {
      const response = await reading;
      window = this.#owedWindow(window.end);
      // Requests the next window while the flow processes this one.
      reading = window && this.#reader.readAhead(window, signal);
      await this.#process(progress, response);
    }
  }

  async #readGaps(progress: Progress, { windows }: GapRequests): Promise<void> {
    for (const window of windows) {
      if (progress.isBlocked) return;
      await this.#process(progress, await this.#reader.read(window, progress.run.signal));
    }
  }

  async #process(progress: Progress, response: WindowRecords): Promise<void> {
    if (this.#rule.isBatch) progress.collected.push(response);
    else await this.#send(progress, response);
  }

  async #finish(progress: Progress, shown: TimedRecord | undefined): Promise<void> {
    const { collected, run } = progress;
    if (collected.length > 0) await this.#send(progress, mergeResponses(collected));
    const { newest } = progress;
    if (newest && newest.start !== shown?.start) await this.#sendNewest(run, newest);
  }

  async #send(progress: Progress, { window, records }: WindowRecords): Promise<void> {
    const { current } = this.#ledger;
    const rule = this.#rule;
    const due = dueRecords(current, records, { window, now: this.#clock.now(), rule });
    if (due.length === 0) return;
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    // Copied before the flow can change it.
    progress.newest = due.findLast(({ end }) => end === newestEnd)?.copy() ?? progress.newest;
    progress.count += due.length;
    await progress.run.sink.prepare(progress.run.signal);
    progress.isBlocked = (await this.#delivery.send(grouped(due, rule.isBatch), progress.run)) === "blocked";
  }

  async #sendNewest({ sink, signal }: PollRun, newest: DueRecord): Promise<void> {
    if (!sink.sendNewest || !isFresh(newest.end, this.#clock.now(), this.#rule.maxAgeMinutes)) return;
    await sink.prepare(signal);
    sink.sendNewest(newest);
  }

  #owedWindow(after?: number): TimeWindow | undefined {
    return owedWindow(this.#ledger.current, this.#clock.now(), this.#rule, after);
  }

  #dueGaps({ isTriggered }: PollRun): GapRequests {
    const now = this.#clock.now();
    return gapRequests(openGaps(this.#ledger.current.gaps, now, this.#rule.gapHorizon), now, isTriggered);
  }

  /** After everything was read: retry delays grow, and what is too old is given up. */
  async #settle({ gaps }: GapRequests): Promise<void> {
    const now = this.#clock.now();
    await this.#ledger.update((known) => settle(withRetriedGaps(known, gaps, now), now, this.#rule));
  }
}
