// Polls one series of records: reads what its ledger owes, sends what is due, and only then advances the ledger.
import type { Clock } from "../clock";
import { isFresh } from "../decisions/freshness";
import { DueRecord, grouped } from "../ledger/due-record";
import { dueRecords } from "../ledger/due-records";
import { type GapRequests, gapRequests, isSampled } from "../ledger/gaps";
import { giveUp, withAnswers, withAsked } from "../ledger/giving-up";
import { cursorTime, frontier, type Ledger, owedWindow } from "../ledger/ledger";
import { withSilence } from "../ledger/silence";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { TimedRecord } from "../models/timed-record";
import type { StateStore } from "../stored-state";
import { type Confirmation, ConfirmedDelivery, type ConfirmRule } from "./confirmed-delivery";
import { type Delivery, type RunConditions, SentDelivery } from "./delivery";
import type { PollNotice, RecordSink, RecordSource } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { SeriesStart, type StartRule } from "./series-start";
import { mergeResponses, type ReadConditions, SeriesReader, type WindowRecords } from "./series-reader";

export interface PollRule extends StartRule {
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
  /** Records sent, or waiting until others are confirmed. */
  count: number;
  /** End of the newest record, in milliseconds. */
  newestEnd: number | undefined;
  /** Unconfirmed records, if others wait for them; otherwise 0. The run goes on with `resume`. */
  unconfirmed: number;
}

/** Where a series stands. */
export interface SeriesSummary extends Pick<Ledger, "gaps" | "watched"> {
  /** End of the newest delivered record, in milliseconds. */
  readonly cursor: number;
  /** The next window to request; undefined if nothing is owed. */
  readonly owed: TimeWindow | undefined;
  /** The last gaps given up since the node started, oldest first. */
  readonly givenUp: readonly TimeWindow[];
  /** Records sent and not yet confirmed. */
  readonly unconfirmed: number;
}

/** How many of the gaps given up are remembered. */
const MAX_GIVEN_UP = 10;

/** What a run has read and sent so far. */
interface Progress {
  readonly run: PollRun;
  readonly reading: ReadConditions;
  /** Responses read for the single message of a batch. */
  readonly collected: WindowRecords[];
  /** Windows without an answer. */
  readonly missing: TimeWindow[];
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
  readonly #start: SeriesStart;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #delivery: Delivery;
  /** The run whose records wait until others are confirmed. */
  #blockedRun: PollRun | undefined;
  /** The last gaps given up since this object was created. */
  #givenUp: readonly TimeWindow[] = [];
  /** Who waits until everything is sent. */
  readonly #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor({ source, store, clock, rule, confirmRule }: SeriesPollerOptions) {
    this.#reader = new SeriesReader(source, clock, store !== undefined);
    this.#clock = clock;
    this.#rule = rule;
    this.#ledger = new SeriesLedger(store, rule, clock);
    this.#start = new SeriesStart({ ledger: this.#ledger, reader: this.#reader, clock, rule });
    const asOfNow = (records: readonly DueRecord[]): readonly DueRecord[] => {
      const now = clock.now();
      const isSame = records.every((record) => record.at(now, rule.maxAgeMinutes) === record);
      return isSame ? records : records.map((record) => record.at(now, rule.maxAgeMinutes));
    };
    this.#confirmed = confirmRule && new ConfirmedDelivery(this.#ledger, confirmRule, asOfNow);
    this.#delivery = this.#confirmed ?? new SentDelivery(this.#ledger, asOfNow);
  }

  /** Where the series stands; undefined before its ledger was loaded. */
  get summary(): SeriesSummary | undefined {
    const ledger = this.#ledger.loaded;
    if (!ledger) return undefined;
    const owed = owedWindow(ledger, this.#clock.now(), this.#rule);
    const { gaps, watched } = ledger;
    const [cursor, unconfirmed] = [cursorTime(ledger), this.unconfirmedCount];
    return { cursor, owed, gaps, watched, givenUp: this.#givenUp, unconfirmed };
  }

  /** Records sent and not yet confirmed. */
  get unconfirmedCount(): number {
    return this.#confirmed?.unconfirmedCount ?? 0;
  }

  /**
   * Reads everything from the cursor to now, then asks for the gaps that are due. While records wait until others are
   * confirmed, it only shows the newest one. Runs of one series must not overlap.
   * Throws what the source throws, StoreError and AbortedError; records sent by then stay sent.
   */
  async run(run: PollRun): Promise<PollOutcome> {
    const progress = await this.#read(run).catch((error: unknown) => {
      this.#ledger.interruptRun();
      throw error;
    });
    if (progress.isBlocked) this.#ledger.interruptRun();
    this.#blockedRun = progress.isBlocked ? (this.#blockedRun ?? run) : undefined;
    if (!progress.isBlocked) for (const { resolve } of this.#waiting.splice(0)) resolve();
    await this.#ledger.flush();
    const unconfirmed = progress.isBlocked ? this.unconfirmedCount : 0;
    return { count: progress.count, newestEnd: progress.newest?.end, unconfirmed };
  }

  /** Resolves once everything that waits for confirmations is sent; rejects if that fails. Never, if the poller is stopped. */
  whenSent(): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }));
  }

  /**
   * Goes on with the run whose records had to wait, once they are sent. Undefined if there is none, or if its failure was
   * passed on to those who wait. Otherwise it throws as `run` does.
   * @param notify replaces that of the run, which is over
   */
  async resume(notify: RecordSink["notify"]): Promise<PollOutcome | undefined> {
    const run = this.#blockedRun;
    this.#blockedRun = undefined;
    if (!run) return undefined;
    try {
      return await this.run({ ...run, sink: { ...run.sink, notify } });
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

  async #read(run: PollRun): Promise<Progress> {
    const { sink, signal, isTriggered } = run;
    const reading = { signal, isTriggered, notify: (notice: PollNotice) => sink.notify(notice) };
    const isBlocked = this.#confirmed?.isBlocked ?? false;
    const progress: Progress = {
      run,
      reading,
      collected: [],
      missing: [],
      count: 0,
      isBlocked,
      newest: undefined,
    };
    const answered = await this.#reader.startRun(reading);
    const first = await this.#start.begin(run.start, reading);
    // Determined first, so that gaps noticed in this run are not asked for in the same run.
    const gaps = gapRequests(this.#ledger.current.gaps, this.#clock.now(), isTriggered, answered);
    const shown = await this.#showNewest(progress);
    if (isBlocked) return progress;
    await this.#readOwed(progress, first);
    try {
      await this.#readGaps(progress, gaps);
    } finally {
      // What was read is sent even if a gap could not be read.
      if (!signal.aborted) await this.#finish(progress, shown);
    }
    if (!progress.isBlocked) await this.#settle(progress, gaps);
    return progress;
  }

  /** If behind by more than one request, or blocked, sends the newest record ahead of its turn, when it is sent again. */
  async #showNewest({ run, reading, isBlocked }: Progress): Promise<TimedRecord | undefined> {
    const { current } = this.#ledger;
    const isBehind = isBlocked || this.#clock.now() - frontier(current) > MAX_WINDOW;
    if (!run.sink.sendNewest || !isBehind) return undefined;
    const newest = this.#reader.newestOf(await this.#reader.readLatest(reading));
    if (newest) await this.#sendNewest(run, new DueRecord(newest, "live", current.cursor));
    return newest;
  }

  /** Reads everything from the cursor to now, except what `first` contains. */
  async #readOwed(progress: Progress, first: WindowRecords | undefined): Promise<void> {
    const { reading } = progress;
    if (first) await this.#process(progress, first);
    let window = this.#owedWindow(first?.window.end);
    let answer = window && this.#reader.readAhead(window, reading);
    while (window && answer && !progress.isBlocked) {
      const response = await answer;
      window = this.#owedWindow(window.end);
      // Requests the next window while the flow processes this one.
      answer = window && this.#reader.readAhead(window, reading);
      await this.#process(progress, response);
    }
  }

  async #readGaps(progress: Progress, { windows, gaps }: GapRequests): Promise<void> {
    for (const window of windows) {
      if (progress.isBlocked) return;
      const isSample = gaps.some((gap) => isSampled(gap) && isInWindow(window, gap));
      await this.#process(progress, await this.#reader.readGap(window, progress.reading, isSample));
    }
  }

  async #process(progress: Progress, response: WindowRecords): Promise<void> {
    progress.missing.push(...response.missing);
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

  /** After everything was read: pauses grow, silence is noted, and what was asked for long enough is given up. */
  async #settle({ run, missing }: Progress, { gaps }: GapRequests): Promise<void> {
    const rule = this.#rule;
    const answered = gaps.filter((gap) => !missing.some((part) => isInWindow(part, gap)));
    const over: TimeWindow[] = [];
    await this.#ledger.completeRun((known, moment) => {
      const { ledger, givenUp } = giveUp(known, answered, moment, rule);
      over.push(...givenUp);
      const noted = withSilence(ledger, moment, rule);
      return withAsked(withAnswers(noted, answered, missing, moment), gaps, moment, rule);
    });
    this.#givenUp = [...this.#givenUp, ...over].slice(-MAX_GIVEN_UP);
    for (const window of over) run.sink.notify({ kind: "given-up", window });
  }
}
