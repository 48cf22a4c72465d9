// One run over a series: reads everything that its ledger owes, sends what is due, and only then settles the ledger.
import { type DueRecord, dueRecords } from "../ledger/due-records";
import { type GapRequests, gapRequests, isSampled } from "../ledger/gaps";
import { cursorTime, frontier, type Ledger, owedWindow } from "../ledger/ledger";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { TimedRecord } from "../models/telemetry";
import type { PollOutcome, PollRule, PollRun, SeriesSummary } from "./ports";
import { mergeResponses, type WindowRecords } from "./series-reader";
import { type SeriesParts, startSeries } from "./series-start";

export interface PassOutcome extends Omit<PollOutcome, "unconfirmed"> {
  /** Whether records wait until others are confirmed: the run then ended early. */
  isBlocked: boolean;
  /** Intervals that are not requested again. */
  givenUp: readonly TimeWindow[];
}

export class SeriesPass {
  readonly #parts: SeriesParts;
  readonly #run: PollRun;
  /** Responses read for the single message of a batch. */
  readonly #collected: WindowRecords[] = [];
  /** Windows without an answer. */
  readonly #missing: TimeWindow[] = [];
  #count = 0;
  #isBlocked: boolean;
  /** The newest record of the series, if this run sent it: a copy, if it is sent a second time. */
  #newest: DueRecord | undefined;
  #givenUp: readonly TimeWindow[] = [];

  constructor(parts: SeriesParts, run: PollRun) {
    this.#parts = parts;
    this.#run = run;
    this.#isBlocked = parts.delivery.isBlocked;
  }

  /**
   * Reads everything from the cursor to now, then requests the gaps that are due. While records wait until others are
   * confirmed, it only shows the newest one. Throws what the source throws, StoreError if nothing can be loaded, and
   * AbortedError; records sent by then stay sent.
   */
  async read(): Promise<PassOutcome> {
    const { reader, ledger, clock, rule } = this.#parts;
    const run = this.#run;
    await reader.startRun(run);
    const first = await startSeries(this.#parts, run);
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
    return {
      count: this.#count,
      newestEnd: this.#newest?.end,
      isBlocked: this.#isBlocked,
      givenUp: this.#givenUp,
    };
  }

  /** If behind by more than one request, or blocked, sends the newest record ahead of its turn, when it is sent again. */
  async #showNewest(): Promise<TimedRecord | undefined> {
    const { reader, ledger, clock } = this.#parts;
    const { current } = ledger;
    const isBehind = this.#isBlocked || clock.now() - frontier(current) > MAX_WINDOW;
    if (!this.#run.sink.sendNewest || !isBehind) return undefined;
    const newest = reader.newestOf(await reader.readLatest(this.#run));
    if (newest) await this.#sendNewest({ ...newest, phase: "live", cursor: current.cursor });
    return newest;
  }

  /** Reads everything that is owed up to now, except what `first` contains. */
  async #readOwed(first: WindowRecords | undefined, from: number | undefined): Promise<void> {
    const { reader } = this.#parts;
    if (first) await this.#process(first);
    let window = this.#owedWindow(first?.window.end ?? from);
    let answer = window && reader.readAhead(window, this.#run);
    while (window && answer && !this.#isBlocked) {
      const response = await answer;
      window = this.#owedWindow(window.end);
      // Requests the next window while the flow processes this one.
      answer = window && reader.readAhead(window, this.#run);
      await this.#process(response);
    }
  }

  async #readGaps({ windows, gaps }: GapRequests): Promise<void> {
    for (const window of windows) {
      if (this.#isBlocked) return;
      const isSample = gaps.some((gap) => isSampled(gap) && isInWindow(window, gap));
      await this.#process(await this.#parts.reader.readGap(window, this.#run, isSample));
    }
  }

  async #process(response: WindowRecords): Promise<void> {
    const { rule, delivery } = this.#parts;
    this.#missing.push(...response.missing);
    if (rule.isBatch) {
      this.#collected.push(response);
      return;
    }
    const due = await this.#prepare(response);
    if (due.length > 0) await delivery.send(due, this.#run);
    this.#isBlocked = delivery.isBlocked;
  }

  /** @param gaps those that were requested, with everything else; absent if the run is incomplete */
  async #finish(shown: TimedRecord | undefined, gaps: GapRequests | undefined): Promise<void> {
    const { delivery } = this.#parts;
    const due = this.#collected.length > 0 ? await this.#prepare(mergeResponses(this.#collected)) : [];
    await delivery.finish(due, this.#run, gaps && (() => this.#settle(gaps)));
    this.#isBlocked ||= delivery.isBlocked;
    const newest = this.#newest;
    if (newest && newest.start !== shown?.start) await this.#sendNewest(newest);
  }

  /** After everything was read: pauses grow, silence is noted, and what was requested for long enough is given up. */
  #settle({ gaps }: GapRequests): void {
    const { ledger } = this.#parts;
    this.#givenUp = ledger.completeRun({ requested: gaps, missing: this.#missing });
    for (const window of this.#givenUp) this.#run.sink.report({ kind: "given-up", window });
  }

  /** The records of a response that are due, counted, once the sink can send them. */
  async #prepare({ window, records }: WindowRecords): Promise<readonly DueRecord[]> {
    const { ledger, clock, rule } = this.#parts;
    const { sink, signal } = this.#run;
    const { current } = ledger;
    const due = dueRecords(current, records, { window, now: clock.now(), rule });
    const newestEnd = due.reduce((latest, { end }) => Math.max(latest, end), cursorTime(current));
    const newest = due.findLast(({ end }) => end === newestEnd);
    // Copied before the flow can change it.
    if (newest)
      this.#newest = sink.sendNewest ? { ...newest, record: structuredClone(newest.record) } : newest;
    this.#count += due.length;
    if (due.length > 0) await sink.prepare(signal);
    return due;
  }

  async #sendNewest(newest: DueRecord): Promise<void> {
    const { sink, signal } = this.#run;
    if (!sink.sendNewest) return;
    await sink.prepare(signal);
    sink.sendNewest(newest, this.#parts.delivery.ledger);
  }

  #owedWindow(after?: number): TimeWindow | undefined {
    const { ledger, clock, rule } = this.#parts;
    return owedWindow(ledger.current, clock.now(), rule, after);
  }
}

/** Where a series stands. */
export function summaryOf(
  ledger: Ledger,
  now: number,
  rule: PollRule,
  givenUp: readonly TimeWindow[],
  unconfirmed = 0,
): SeriesSummary {
  const { gaps, watched } = ledger;
  return {
    cursor: cursorTime(ledger),
    owed: owedWindow(ledger, now, rule),
    gaps,
    watched,
    givenUp,
    unconfirmed,
  };
}
