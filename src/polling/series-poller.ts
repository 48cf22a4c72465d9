// Polls one series of records: reads what its ledger owes, sends what is due, and only then advances the ledger.
import type { Clock } from "../clock";
import { isFresh } from "../decisions/freshness";
import { asOf, type DueRecord, dueRecord } from "../ledger/due-record";
import { dueRecords } from "../ledger/due-records";
import { type GapRequests, gapRequests, isSampled } from "../ledger/gaps";
import { giveUp, withAnswers, withAsked } from "../ledger/giving-up";
import { cursorTime, frontier, owedWindow } from "../ledger/ledger";
import { withSilence } from "../ledger/silence";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { TimedRecord } from "../models/telemetry";
import { CarriedDelivery } from "./carried-delivery";
import { type Confirmation, ConfirmedDelivery } from "./confirmed-delivery";
import { type Delivery, SentDelivery } from "./delivery";
import type {
  PollOutcome,
  PollRule,
  PollRun,
  Progress,
  SeriesPollerOptions,
  SeriesSummary,
} from "./poll-run";
import type { PollNotice, RecordSink } from "./ports";
import { SeriesLedger } from "./series-ledger";
import { SeriesStart } from "./series-start";
import { mergeResponses, SeriesReader, type WindowRecords } from "./series-reader";

/** How many of the gaps given up are remembered. */
const MAX_GIVEN_UP = 10;

export class SeriesPoller {
  readonly #reader: SeriesReader;
  readonly #clock: Clock;
  readonly #rule: PollRule;
  readonly #ledger: SeriesLedger;
  readonly #start: SeriesStart;
  readonly #confirmed: ConfirmedDelivery | undefined;
  readonly #carried: CarriedDelivery | undefined;
  readonly #delivery: Delivery;
  /** The run whose records wait until others are confirmed. */
  #blockedRun: PollRun | undefined;
  /** The last gaps given up since this object was created. */
  #givenUp: readonly TimeWindow[] = [];
  /** Who waits until everything is sent. */
  readonly #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor({ source, store, clock, rule, confirmRule, isCarried = false }: SeriesPollerOptions) {
    this.#reader = new SeriesReader(source, clock, store !== undefined && !isCarried);
    this.#clock = clock;
    this.#rule = rule;
    this.#ledger = new SeriesLedger(store, rule, clock, isCarried);
    this.#start = new SeriesStart({ ledger: this.#ledger, reader: this.#reader, clock, rule, isCarried });
    const asOfNow = (records: readonly DueRecord[]): readonly DueRecord[] =>
      asOf(records, clock.now(), rule.maxAgeMinutes);
    this.#confirmed = confirmRule && new ConfirmedDelivery(this.#ledger, confirmRule, asOfNow);
    this.#carried = isCarried ? new CarriedDelivery(this.#ledger, asOfNow) : undefined;
    this.#delivery = this.#confirmed ?? this.#carried ?? new SentDelivery(this.#ledger, asOfNow);
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

  /** Reads as `read` does, and resolves once that is stored. Throws StoreError as well. */
  async run(run: PollRun): Promise<PollOutcome> {
    const outcome = await this.read(run);
    await this.stored();
    return outcome;
  }

  /** Whether everything delivered is stored. */
  get isStored(): boolean {
    return this.#ledger.isStored;
  }

  /** Resolves once everything delivered is stored. Throws StoreError. */
  stored(): Promise<void> {
    return this.#ledger.flush();
  }

  /**
   * Reads everything from the cursor to now, then asks for the gaps that are due. While records wait until others are
   * confirmed, it only shows the newest one. Runs of one series must not overlap.
   * Throws what the source throws, StoreError if nothing can be loaded, and AbortedError; records sent by then stay sent.
   */
  async read(run: PollRun): Promise<PollOutcome> {
    const progress = await this.#read(run).catch((error: unknown) => {
      this.#ledger.interruptRun();
      throw error;
    });
    if (progress.isBlocked) this.#ledger.interruptRun();
    this.#blockedRun = progress.isBlocked ? (this.#blockedRun ?? run) : undefined;
    if (!progress.isBlocked) for (const { resolve } of this.#waiting.splice(0)) resolve();
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
    await this.stored().catch(() => undefined);
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
    let settle: (() => void) | undefined;
    try {
      await this.#readGaps(progress, gaps);
      settle = () => this.#settle(progress, gaps);
    } finally {
      // What was read is sent even if a gap could not be read.
      if (!signal.aborted) await this.#finish(progress, shown, settle);
    }
    return progress;
  }

  /** If behind by more than one request, or blocked, sends the newest record ahead of its turn, when it is sent again. */
  async #showNewest({ run, reading, isBlocked }: Progress): Promise<TimedRecord | undefined> {
    const { current } = this.#ledger;
    const isBehind = isBlocked || this.#clock.now() - frontier(current) > MAX_WINDOW;
    if (!run.sink.sendNewest || !isBehind) return undefined;
    const newest = this.#reader.newestOf(await this.#reader.readLatest(reading));
    if (newest) await this.#sendNewest(run, dueRecord(newest, "live", current.cursor));
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

  /** @param settle concludes the run in the ledger; absent if the run has failed */
  async #finish(progress: Progress, shown: TimedRecord | undefined, settle?: () => void): Promise<void> {
    const { collected, run } = progress;
    const isLast = this.#carried !== undefined && this.#rule.isBatch;
    if (isLast) await this.#sendLast(progress, this.#carried, settle);
    else if (collected.length > 0) await this.#send(progress, mergeResponses(collected));
    const { newest } = progress;
    if (newest && newest.start !== shown?.start) await this.#sendNewest(run, newest);
    if (!isLast && !progress.isBlocked) settle?.();
  }

  /** Sends all records of a run that carries its ledger, and the ledger as the run leaves it. */
  async #sendLast(
    progress: Progress,
    carried: CarriedDelivery | undefined,
    settle: (() => void) | undefined,
  ): Promise<void> {
    const { collected, run } = progress;
    const due = collected.length > 0 ? this.#due(progress, mergeResponses(collected)) : [];
    if (due.length > 0) await run.sink.prepare(run.signal);
    // A run that has failed hands nothing back but what it has read.
    if (due.length > 0 || settle) await carried?.sendLast(due, run, settle);
  }

  async #send(progress: Progress, response: WindowRecords): Promise<void> {
    const due = this.#due(progress, response);
    if (due.length === 0) return;
    const { run } = progress;
    await run.sink.prepare(run.signal);
    progress.isBlocked = (await this.#delivery.send(due, run, this.#rule.isBatch)) === "blocked";
  }

  /** The records of a response that are due, counted. */
  #due(progress: Progress, { window, records }: WindowRecords): readonly DueRecord[] {
    const { current } = this.#ledger;
    const due = dueRecords(current, records, { window, now: this.#clock.now(), rule: this.#rule });
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    const newest = due.findLast(({ end }) => end === newestEnd);
    // Copied before the flow can change it.
    const isShown = progress.run.sink.sendNewest !== undefined;
    progress.newest = (newest && isShown ? copyOf(newest) : newest) ?? progress.newest;
    progress.count += due.length;
    return due;
  }

  async #sendNewest({ sink, signal }: PollRun, newest: DueRecord): Promise<void> {
    if (!sink.sendNewest || !isFresh(newest.end, this.#clock.now(), this.#rule.maxAgeMinutes)) return;
    await sink.prepare(signal);
    sink.sendNewest(newest, this.#carried?.interim);
  }

  #owedWindow(after?: number): TimeWindow | undefined {
    return owedWindow(this.#ledger.current, this.#clock.now(), this.#rule, after);
  }

  /** After everything was read: pauses grow, silence is noted, and what was asked for long enough is given up. */
  #settle({ run, missing }: Progress, { gaps }: GapRequests): void {
    const rule = this.#rule;
    const answered = gaps.filter((gap) => !missing.some((part) => isInWindow(part, gap)));
    const over: TimeWindow[] = [];
    this.#ledger.completeRun((known, moment) => {
      const { ledger, givenUp } = giveUp(known, answered, moment, rule);
      over.push(...givenUp);
      const noted = withSilence(ledger, moment, rule);
      return withAsked(withAnswers(noted, answered, missing, moment), gaps, moment, rule);
    });
    this.#givenUp = [...this.#givenUp, ...over].slice(-MAX_GIVEN_UP);
    for (const window of over) run.sink.notify({ kind: "given-up", window });
  }
}

/** For a second receiver, because the first may change its record. */
function copyOf(due: DueRecord): DueRecord {
  return { ...due, record: structuredClone(due.record) };
}
