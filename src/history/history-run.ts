// Runs a planned history import: reads window by window, sends the records in order, and reports progress.
import { type Clock, latestNow } from "../clock";
import type { HistoryRemaining } from "../errors";
import { DueRecord } from "../ledger/due-records";
import type { HistoryProgress } from "../messages/messages";
import { cursorText } from "../ledger/ledger";
import { inPortions } from "../loop-turns";
import type { UnreadableItem } from "../models/responses";
import type { TimedRecord } from "../models/telemetry";
import { isInWindow, isoRange, joinedWindows, lengthOf, MINUTE, type TimeWindow } from "../time-units";
import { readAhead } from "../reading/read-ahead";
import { RecordReader, type RecordSource } from "../reading/record-reader";
import type { MissingWindow, WindowRecords } from "../reading/window-records";

export interface HistoryRunOptions {
  /** One for each request, as `planRange` returns them. Those that begin in the future are not requested. */
  plan: readonly TimeWindow[];
  clock: Clock;
  isBatch: boolean;
  signal: AbortSignal;
  /** After which failing windows are not read in parts; by default, there is no limit. */
  maxRequests?: number;
  onProgress?: (progress: HistoryProgress) => void;
}

/** What is read. */
export interface HistorySeries extends RecordSource {
  /** How long after their end records can be read at the latest, in milliseconds. */
  lateness: () => number;
  report: (items: readonly UnreadableItem[]) => void;
}

type SendRecords = (records: readonly DueRecord[]) => void;

/** What is said of a run until it ends. */
const NOT_ENDED = { finished: false, cancelled: false };

/** Of a run that was cancelled before it had a plan. */
export const NOTHING_DONE: HistoryProgress = { done: 0, total: 0, records: 0, percent: 0, ...NOT_ENDED };

/** The shortest time between two reports of progress, in milliseconds. */
const REPORT_INTERVAL = 1000;
/** Unreadable records that one run reports. */
const MAX_REPORTED = 20;
/** Intervals that are listed as left to read: if there are more, all between the first and the last are. */
const MAX_LEFT = 100;

export class HistoryRun {
  readonly #options: HistoryRunOptions;
  /** The windows to request. */
  readonly #windows: readonly TimeWindow[];
  /** Of the records sent, the one that ends last. */
  #newest: DueRecord | undefined;
  /** Where the last record sent begins: the next response also contains those that reach past the end of a window. */
  #sentTo = Number.NEGATIVE_INFINITY;
  /** Where the first record begins that was read and not sent: before the end of one that covers it. */
  #unsentFrom = Number.POSITIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** Windows of which all that could be read was sent. */
  #passed = 0;
  /** What could not be read so far, although the service answers for the present. */
  missing: readonly MissingWindow[] = [];
  /** The end of the range, if the service may not show its records yet. */
  late: TimeWindow | undefined;
  records = 0;
  #unreadable = 0;

  constructor(options: HistoryRunOptions) {
    this.#options = options;
    const now = latestNow(options.clock);
    this.#windows = options.plan.filter(({ start }) => start < now);
  }

  /** Reads the range as far as it can be read. Throws what the reader throws; `remaining` then says what is left. */
  async read(series: HistorySeries, send: SendRecords): Promise<void> {
    const { plan, clock, signal, maxRequests = Number.POSITIVE_INFINITY } = this.#options;
    this.showProgress();
    const reader = new RecordReader(series, clock, signal, maxRequests);
    const begunAt = clock.now();
    for await (const response of readAhead(reader, this.#windows, true)) {
      const { end } = response.window;
      // A range that reaches up to now ends with what is there.
      const isOver = end === plan.at(-1)?.end && end <= begunAt - MINUTE;
      const late = isOver ? lateIn(response, clock.now() - series.lateness()) : undefined;
      await this.#send(response, series, send);
      this.late = late;
    }
  }

  /** Reports progress now. `end` says how the run ended; absent while it is in progress. */
  showProgress(end?: Partial<typeof NOT_ENDED>): void {
    const { clock, onProgress } = this.#options;
    const windows = this.#windows;
    this.#reportedAt = clock.monotonic();
    const remaining = end && this.remaining();
    const passed = windows.slice(0, this.#passed);
    const holes = this.#holes;
    const read = Math.max(lengthOf(passed) - lengthOf(holes), 0);
    onProgress?.({
      done: passed.filter((window) => !holes.some((hole) => isInWindow(hole, window))).length,
      total: windows.length,
      records: this.records,
      // 100 means that nothing is missing.
      percent: Math.floor((100 * read) / Math.max(lengthOf(windows), 1)),
      ...NOT_ENDED,
      ...end,
      ...(remaining && { remaining }),
    });
  }

  /** What is not sent yet of the range; undefined when nothing is left. */
  remaining(): HistoryRemaining | undefined {
    // What lies in the future is left only where the run ends early.
    const unread = this.#isOver ? [] : this.#options.plan.slice(this.#passed);
    // No record is sent twice, but one that others lie within.
    const from = Math.min(this.#newest?.end ?? Number.NEGATIVE_INFINITY, this.#unsentFrom);
    const rest = unread.map((one) => ({ start: Math.max(one.start, from), end: one.end }));
    const left = joinedWindows([...this.#holes, ...rest]);
    const [first, last] = [left[0], left.at(-1)];
    if (!first || !last) return undefined;
    const span = isoRange({ start: first.start, end: last.end });
    const isListed = left.length > 1 && left.length <= MAX_LEFT;
    return isListed ? { ...span, windows: left.map(isoRange) } : span;
  }

  get #isOver(): boolean {
    return this.#passed === this.#windows.length;
  }

  /** What was not read of what has passed, in order. */
  get #holes(): readonly TimeWindow[] {
    return this.late ? [...this.missing, this.late] : this.missing;
  }

  async #send(
    { window, records, unreadable, missing }: WindowRecords,
    { report }: HistorySeries,
    send: SendRecords,
  ): Promise<void> {
    const { clock, signal, isBatch } = this.#options;
    const reported = unreadable.slice(0, MAX_REPORTED - this.#unreadable);
    this.#unreadable += reported.length;
    report(reported);
    const [now, sentTo, before] = [clock.now(), this.#sentTo, this.#newest];
    const due = records.filter((one) => one.end <= now && one.start > sentTo);
    let sentHere = 0;
    const sendPortion = (portion: readonly TimedRecord[]): void => {
      let newest = this.#newest;
      const described = portion.map((timed) => {
        const isNewest = newest === undefined || newest.end <= timed.end;
        const cursor = newest && !isNewest ? newest.cursor : cursorText(timed);
        const one = new DueRecord(timed, "catchup", cursor);
        if (isNewest) newest = one;
        return one;
      });
      send(described);
      this.#newest = newest;
      this.#sentTo = portion.at(-1)?.start ?? sentTo;
      this.records += portion.length;
      sentHere += portion.length;
      this.#unsentFrom = due[sentHere]?.start ?? Number.POSITIVE_INFINITY;
    };
    const sent = before ? [before, ...due] : due;
    // Only the last one before may end within a record of this window. A run that is aborted while it sends has left them, too.
    const holes = [...this.missing.slice(-1), ...missing].flatMap((hole) => withoutSent(hole, sent));
    this.missing = [...this.missing.slice(0, -1), ...holes];
    // Backpressure: no new request starts before the flow has processed these records.
    await inPortions(due, { signal, isWhole: isBatch, send: sendPortion });
    const next = this.#windows.findIndex(({ end }) => end > window.end);
    this.#passed = next < 0 ? this.#windows.length : next;
    // The end of a run is always reported, by its owner.
    if (!this.#isOver && clock.monotonic() - this.#reportedAt >= REPORT_INTERVAL) this.showProgress();
  }
}

/** A service may show records so late that the last ones of a range that has just ended, after `since`, are not there yet. */
function lateIn({ window, records, missing }: WindowRecords, since: number): TimeWindow | undefined {
  let start = Math.max(window.start, since);
  for (const { end } of [...records, ...missing]) start = Math.max(start, end);
  return window.end - start >= MINUTE ? { start, end: window.end } : undefined;
}

/** What is missing without the records that reach into it from either side and were sent: who goes on there would get them twice. */
function withoutSent(missing: MissingWindow, sent: readonly TimeWindow[]): MissingWindow[] {
  let { start, end } = missing;
  for (const one of sent) {
    if (one.start < missing.start) start = Math.max(start, one.end);
    if (one.end > missing.end) end = Math.min(end, one.start);
  }
  return start < end ? [{ ...missing, start, end }] : [];
}
