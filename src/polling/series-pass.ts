// One run over a series: reads everything that its ledger owes, sends what is due, and only then settles the ledger.
import { type DueRecord, dueRecords } from "../ledger/due-records";
import { type GapRequests, gapRequests, isSampled } from "../ledger/gaps";
import { cursorTime, frontier, type Gap, owedWindow } from "../ledger/ledger";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { ResponseError } from "../errors";
import type { TimedRecord } from "../models/telemetry";
import { MINUTE } from "../time-units";
import { readAhead } from "../reading/read-ahead";
import { mergedWindows, NothingReadable, RecordReader, type WindowRecords } from "../reading/record-reader";
import type { PollOutcome, PollRun } from "./ports";
import { type SeriesParts, startSeries } from "./series-start";

export interface PassOutcome extends Omit<PollOutcome, "unconfirmed"> {
  /** Whether records wait until others are confirmed: the run then ended early. */
  isBlocked: boolean;
}

/** The most unreadable records of one response that are reported. */
const MAX_REPORTED = 5;

export class SeriesPass {
  readonly #parts: SeriesParts;
  readonly #reader: RecordReader;
  readonly #run: PollRun;
  /** Responses read for the single message of a batch. */
  readonly #collected: WindowRecords[] = [];
  /** Windows without an answer. */
  readonly #missing: TimeWindow[] = [];
  /** Windows of which a part may have an answer, to be read after what is newer. */
  readonly #postponed: TimeWindow[] = [];
  #count = 0;
  #isBlocked: boolean;
  /** The newest record of the series, if this run sent it: a copy, if it is sent a second time. */
  #newest: DueRecord | undefined;

  constructor(parts: SeriesParts, run: PollRun) {
    this.#parts = parts;
    this.#reader = new RecordReader(run.source, parts.clock, run.signal, undefined, MINUTE);
    this.#run = run;
    this.#isBlocked = parts.delivery.isBlocked;
  }

  /**
   * Reads everything from the cursor to now, then requests the gaps that are due. While records wait until others are
   * confirmed, it only shows the newest one. Throws what the source throws, StoreError if nothing can be loaded, and
   * AbortedError; records sent by then stay sent.
   */
  async read(): Promise<PassOutcome> {
    const { ledger, clock, rule } = this.#parts;
    const run = this.#run;
    const first = await startSeries(this.#parts, this.#reader, run.start);
    // Determined first, so that gaps noticed in this run are not requested in the same run.
    const gaps = gapRequests(ledger.current, clock.now(), run.isByMessage, rule);
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

  /** If behind by more than one request, or blocked, sends the newest record ahead of its turn, when it is sent again. */
  async #showNewest(): Promise<TimedRecord | undefined> {
    const { ledger, clock } = this.#parts;
    const { current } = ledger;
    const isBehind = this.#isBlocked || clock.now() - frontier(current) > MAX_WINDOW;
    if (!this.#run.sink.sendNewest || !isBehind) return undefined;
    const { records } = await this.#reader.readLatest();
    const newest = records.findLast(({ end }) => end <= clock.now());
    if (newest)
      this.#run.sink.sendNewest({ ...newest, phase: "live", cursor: current.cursor }, ledger.interim);
    return newest;
  }

  /** Reads everything that is owed up to now, except what `first` contains. */
  async #readOwed(first: WindowRecords | undefined, from: number | undefined): Promise<void> {
    if (first) await this.#process(first);
    if (this.#isBlocked) return;
    const postpone = (window: TimeWindow): void => void this.#postponed.push(window);
    const windows = this.#owedWindows(first?.window.end ?? from);
    for await (const response of readAhead(this.#reader, windows, { isFar: false, postpone })) {
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
    const { rule, delivery } = this.#parts;
    this.#missing.push(...response.missing);
    this.#tell(response);
    if (rule.isBatch) {
      this.#collected.push(response);
      return;
    }
    const due = this.#dueOf(response);
    if (due.length > 0) await delivery.send(due, this.#run);
    this.#isBlocked = delivery.isBlocked;
  }

  /** @param gaps those that were requested, with everything else; absent if the run is incomplete */
  async #finish(shown: TimedRecord | undefined, gaps: GapRequests | undefined): Promise<void> {
    const { delivery, ledger } = this.#parts;
    const due = this.#collected.length > 0 ? this.#dueOf(mergedWindows(this.#collected)) : [];
    const settle = (requested: readonly Gap[]): void => {
      for (const window of ledger.completeRun({ requested, missing: this.#missing }))
        this.#run.sink.report({ kind: "given-up", window });
    };
    await delivery.finish(due, this.#run, gaps && (() => settle(gaps.gaps)));
    this.#isBlocked ||= delivery.isBlocked;
    const newest = this.#newest;
    if (newest && newest.start !== shown?.start) this.#run.sink.sendNewest?.(newest, ledger.interim);
  }

  /** The records of a response that are due, counted. */
  #dueOf({ window, records }: WindowRecords): readonly DueRecord[] {
    const { ledger, clock, rule } = this.#parts;
    const { sink } = this.#run;
    const { current } = ledger;
    const due = dueRecords(current, records, { window, now: clock.now(), rule });
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    const newest = due.findLast(({ end }) => end === newestEnd);
    // Copied before the flow can change it.
    if (newest)
      this.#newest = sink.sendNewest ? { ...newest, record: structuredClone(newest.record) } : newest;
    this.#count += due.length;
    return due;
  }

  /** Each as of when it is requested. */
  *#owedWindows(after?: number): Generator<TimeWindow, void> {
    const { ledger, clock, rule } = this.#parts;
    const next = (from?: number): TimeWindow | undefined =>
      owedWindow(ledger.current, clock.now(), rule, from);
    for (let window = next(after); window; window = next(window.end)) yield window;
  }

  #tell({ unreadable, missing }: WindowRecords): void {
    const { told } = this.#parts;
    const { sink } = this.#run;
    for (const { fault } of told.newItems(unreadable).slice(0, MAX_REPORTED))
      sink.report({ kind: "unreadable", error: new ResponseError(fault) });
    // What cannot be read there was told above.
    const failing = missing.filter(({ error }) => !(error instanceof NothingReadable));
    for (const window of told.newWindows(failing))
      sink.report({ kind: "failing", error: window.error, window });
  }
}
