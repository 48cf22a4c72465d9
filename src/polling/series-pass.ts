// One run over a series: begins at the stored position, or at that of a new ledger; reads everything that the ledger owes, sends what
// is due, and only then settles the ledger.
import { DueRecord, dueRecords } from "../ledger/due-records";
import { type GapRequests, gapRequests, isSampled } from "../ledger/gaps";
import { cursorTime, frontier, type Gap, owedWindow } from "../ledger/ledger";
import { InputError, isRefusal } from "../errors";
import type { TimedRecord } from "../models/telemetry";
import { AHEAD, isInWindow, MAX_WINDOW, MINUTE, type TimeWindow } from "../time-units";
import { readAhead } from "../reading/read-ahead";
import { firstIndex, NothingReadable, RecordReader } from "../reading/record-reader";
import { merged, type WindowRecords } from "../reading/window-records";
import type { PollRun } from "./ports";
import { timeAt, withRightTime } from "../clock";
import { eventLoopTurn } from "../loop-turns";
import { type ConfirmedDelivery, sendAtOnce } from "./delivery";
import type { SeriesLedger } from "./series-ledger";

export type PassOutcome = Awaited<ReturnType<SeriesPass["read"]>>;

/** A start this close is read day by day. */
const NEAR = 7 * MAX_WINDOW;

export class SeriesPass {
  readonly #ledger: SeriesLedger;
  /** Absent: records count as delivered once the flow has received them. */
  readonly #delivery: ConfirmedDelivery | undefined;
  readonly #reader: RecordReader;
  readonly #run: PollRun;
  /** Responses read for the single message of a batch. */
  readonly #collected: WindowRecords[] = [];
  /** Windows without an answer. */
  readonly #missing: TimeWindow[] = [];
  /** Windows of which a part may have an answer, to be read after what is newer. */
  readonly #postponed: TimeWindow[] = [];
  #count = 0;
  /** Whether records have to wait: it stays so, although others are confirmed meanwhile. */
  #isBlocked: boolean;
  /** The newest record of the series, if this run sent it: a copy, if it is sent a second time. */
  #newest: DueRecord | undefined;

  constructor(ledger: SeriesLedger, delivery: ConfirmedDelivery | undefined, run: PollRun) {
    this.#ledger = ledger;
    this.#delivery = delivery;
    this.#reader = new RecordReader(run.source, ledger.clock, run.signal, undefined, MINUTE);
    this.#run = run;
    this.#isBlocked = delivery?.isBlocked === true;
  }

  /**
   * Reads everything from the cursor to now, then requests the gaps that are due. While records wait until others are
   * confirmed, it only shows the newest one, and ends early. Throws what the source throws, StoreError if nothing can be loaded, and
   * AbortedError; records sent by then stay sent.
   */
  async read() {
    const { clock, rule } = this.#ledger;
    const run = this.#run;
    const first = await this.#start();
    // Determined first, so that gaps noticed in this run are not requested in the same run.
    const gaps = gapRequests(this.#ledger.current, clock.now(), run.isByMessage, rule);
    const shown = await this.#showNewest();
    if (!this.#isBlocked) {
      await this.#readOwed(first, gaps.from);
      let isComplete = false;
      try {
        await this.#readGaps(gaps);
        isComplete = !this.#isBlocked;
      } finally {
        // What was read is sent even if a gap could not be read.
        if (!run.signal.aborted) await this.#finish(shown, isComplete ? gaps : undefined);
      }
    }
    return { count: this.#count, newestEnd: this.#newest?.end, isBlocked: this.#isBlocked };
  }

  /**
   * Loads the ledger, or starts a new one at the time of the run, at that of the rule, or at the newest record. Returns the first
   * response, if there is one already. Throws what the reader throws, and StoreError.
   */
  async #start(): Promise<WindowRecords | undefined> {
    const { clock, rule } = this.#ledger;
    if ((await this.#ledger.load()) && (await this.#isStarted())) return undefined;
    const { start } = this.#run;
    const { startBefore } = rule;
    if (start !== undefined) return this.#startFrom(() => start);
    if (startBefore !== undefined) return this.#startFrom(() => clock.now() - startBefore);
    return this.#startAtNewest();
  }

  /**
   * Whether there is a place to go on from: one beyond now that no record led to is a clock's error. Throws InputError for one that
   * came with a message: what it skips would be lost.
   */
  async #isStarted(): Promise<boolean> {
    const { clock } = this.#ledger;
    const isAhead = (): boolean => cursorTime(this.#ledger.current) > clock.now() + AHEAD;
    // The answer says what time it is.
    if (isAhead()) await this.#reader.readLatest();
    if (!isAhead()) return true;
    if (this.#ledger.isCarried) throw new InputError("ledgerAhead", { time: this.#ledger.current.cursor });
    return this.#ledger.current.delivered.length > 0;
  }

  /** Starts at the newest record, or, if a wrong clock made an earlier start void, at the time of that. */
  async #startAtNewest(): Promise<WindowRecords | undefined> {
    const { clock, begunAt } = this.#ledger;
    if (begunAt !== undefined) return this.#startFrom(() => timeAt(begunAt, clock));
    const newestOf = ({ records }: WindowRecords): TimeWindow | undefined =>
      records.findLast(({ end }) => end <= clock.now());
    const isEnough = (response: WindowRecords): boolean => newestOf(response) !== undefined;
    const response = await this.#reader.readNewest(isEnough);
    const start = newestOf(response)?.start ?? response.window.start;
    this.#ledger.start(start);
    this.#ledger.keep();
    this.#ledger.begunAt = clock.monotonic();
    return { ...response, window: { start, end: response.window.end } };
  }

  /** Starts at a time, and returns the first response. */
  #startFrom(startTime: () => number): Promise<WindowRecords | undefined> {
    const { clock, rule } = this.#ledger;
    return withRightTime(clock, async () => {
      const start = Math.floor(startTime());
      const begin = await this.#firstRecordTime(start);
      this.#ledger.start(start, begin);
      const window = owedWindow(this.#ledger.current, clock.now(), rule);
      try {
        const first = window && (await this.#reader.read(window));
        if (!window) await this.#reader.readLatest();
        this.#ledger.keep();
        return first;
      } catch (error) {
        // What a service owes that is down is still owed after a restart.
        if (!isRefusal(error)) this.#ledger.keep();
        throw error;
      }
    });
  }

  /**
   * Resolves to a time before which no records were found, or to `start` if there are some: about a request for each doubling of
   * the number of days. Days that it does not look at may have records.
   */
  async #firstRecordTime(start: number): Promise<number> {
    const now = this.#ledger.clock.now();
    if (now - start <= NEAR) return start;
    const days = Math.ceil((now - start) / MAX_WINDOW);
    const dayOf = (index: number): number => start + index * MAX_WINDOW;
    const hasDay = async (index: number): Promise<boolean> => {
      const day = { start: dayOf(index), end: dayOf(index + 1) };
      return (await this.#reader.readGap(day, true)).records.length > 0;
    };
    if (await hasDay(0)) return start;
    // The last day is read in any case. A service may refuse a day of which it keeps only the end.
    return dayOf((await firstIndex(days - 1, hasDay)) - 1);
  }

  /** If behind by more than one request, or blocked, sends the newest record ahead of its turn, when it is sent again. */
  async #showNewest(): Promise<TimedRecord | undefined> {
    const { clock, current } = this.#ledger;
    const isBehind = this.#isBlocked || clock.now() - frontier(current) > MAX_WINDOW;
    if (!this.#run.sink.sendNewest || !isBehind) return undefined;
    const { records } = await this.#reader.readLatest();
    const newest = records.findLast(({ end }) => end <= clock.now());
    if (newest)
      this.#run.sink.sendNewest(new DueRecord(newest, "live", current.cursor), this.#ledger.interim);
    return newest;
  }

  /** Reads everything that is owed up to now, except what `first` contains. */
  async #readOwed(first: WindowRecords | undefined, from: number | undefined): Promise<void> {
    if (first) await this.#process(first);
    if (this.#isBlocked) return;
    const postpone = (window: TimeWindow): void => void this.#postponed.push(window);
    const windows = this.#owedWindows(first?.window.end ?? from);
    for await (const response of readAhead(this.#reader, windows, false, postpone)) {
      await this.#process(response);
      if (this.#isBlocked) return;
    }
  }

  async #readGaps({ windows, gaps }: GapRequests): Promise<void> {
    for (const window of [...this.#postponed, ...windows]) {
      if (this.#isBlocked) return;
      const isSample = gaps.some((gap) => isSampled(gap) && isInWindow(window, gap));
      await this.#process(await this.#reader.readGap(window, isSample));
    }
  }

  async #process(response: WindowRecords): Promise<void> {
    const { unreadable, missing } = response;
    const { sink } = this.#run;
    this.#missing.push(...missing);
    if (unreadable.length > 0) sink.report({ kind: "unreadable", items: unreadable });
    for (const window of missing)
      // What cannot be read there was reported above.
      if (!(window.error instanceof NothingReadable)) sink.report({ kind: "failing", window });
    if (this.#ledger.rule.isBatch) {
      this.#collected.push(response);
      return;
    }
    const due = this.#dueOf(response);
    if (due.length > 0) await this.#send(due);
  }

  async #send(due: readonly DueRecord[]): Promise<void> {
    if (!this.#delivery) return sendAtOnce(due, this.#run, this.#ledger);
    this.#delivery.send(due, this.#run, this.#ledger);
    this.#isBlocked ||= this.#delivery.isBlocked;
  }

  /** @param gaps those that were requested, with everything else; absent if the run is incomplete */
  async #finish(shown: TimedRecord | undefined, gaps: GapRequests | undefined): Promise<void> {
    const ledger = this.#ledger;
    const { isBatch } = ledger.rule;
    const { sink, signal } = this.#run;
    const due = this.#dueOf(merged(this.#collected));
    const settle = (requested: readonly Gap[]): void => {
      for (const window of ledger.completeRun({ requested, missing: this.#missing }))
        sink.report({ kind: "given-up", window });
    };
    if (!ledger.isCarried || !isBatch) {
      await this.#send(due);
      if (gaps && !this.#isBlocked) settle(gaps.gaps);
    } else if (gaps || due.length > 0) {
      // A batch is the last message of its run, and hands back the ledger, also if nothing is new.
      ledger.update(ledger.after(due));
      if (gaps) settle(gaps.gaps);
      sink.send([{ records: due, ledger: gaps ? ledger.current : ledger.interim }]);
      await eventLoopTurn(signal);
    }
    const newest = this.#newest;
    if (newest && newest.start !== shown?.start) sink.sendNewest?.(newest, ledger.interim);
  }

  #dueOf({ window, records }: WindowRecords): readonly DueRecord[] {
    const { clock, rule, current } = this.#ledger;
    const { sink } = this.#run;
    const due = dueRecords(current, records, { window, now: clock.now(), rule });
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    const newest = due.findLast(({ end }) => end === newestEnd);
    if (newest) {
      const { start, end, phase, cursor } = newest;
      // Copied before the flow can change it.
      const record = sink.sendNewest ? structuredClone(newest.record) : newest.record;
      this.#newest = new DueRecord({ record, start, end }, phase, cursor);
    }
    this.#count += due.length;
    return due;
  }

  /** Each as of when it is requested. */
  *#owedWindows(after?: number): Generator<TimeWindow, void> {
    const { clock, rule } = this.#ledger;
    const next = (from?: number): TimeWindow | undefined =>
      owedWindow(this.#ledger.current, clock.now(), rule, from);
    for (let window = next(after); window; window = next(window.end)) yield window;
  }
}
