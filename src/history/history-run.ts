// Runs a planned history import: reads window by window, sends the records in order, and reports progress.
import type { Clock } from "../clock";
import { type EnergyError, ResponseError } from "../errors";
import type { DueRecord } from "../ledger/due-records";
import type { RecordAnswer } from "../models/responses";
import type { TimeWindow } from "../ledger/window";
import type { HistoryProgress } from "../messages/messages";
import type { RecordSource } from "../polling/ports";
import { inPortions } from "../loop-turns";
import type { HistoryPlan } from "./plan";
import { HistoryPass, readAhead } from "./read-ahead";

/** Receives the records and the progress of a run. */
export interface HistorySink {
  /** Must resolve before the records of a request are sent. Throws AbortedError once the run is aborted. */
  prepare(): Promise<void>;
  /** Sends some records of one request. */
  send(records: readonly DueRecord[]): void;
  /** Reports a record that cannot be read. */
  report(error: EnergyError): void;
  showProgress(progress: HistoryProgress): void;
}

export interface HistoryRunOptions {
  plan: HistoryPlan;
  source: RecordSource;
  sink: HistorySink;
  clock: Clock;
  /** Whether all records of a request are sent as one message. */
  isBatch: boolean;
  /** Aborts the run: it was cancelled, or its owner is closed. */
  signal: AbortSignal;
}

/** How a run ended. */
type RunEnd = Partial<Pick<HistoryProgress, "finished" | "cancelled">>;

/** The shortest time between two reports of progress, in milliseconds. */
const REPORT_INTERVAL = 1000;
/** Unreadable records that one run reports. */
const MAX_REPORTED = 20;

export class HistoryRun {
  readonly #options: HistoryRunOptions;
  readonly #pass = new HistoryPass();
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** Requests whose records were all sent. */
  #done = 0;
  #records = 0;
  #unreadable = 0;

  constructor(options: HistoryRunOptions) {
    this.#options = options;
  }

  /** Records sent so far. */
  get records(): number {
    return this.#records;
  }

  /** Reads the whole range. Throws what the source throws, and AbortedError; `remaining` then says what is left. */
  async read(): Promise<void> {
    const { plan, source, signal } = this.#options;
    this.showProgress();
    await readAhead(
      plan.windows,
      (window) => source.read(window, signal),
      (answer, window) => this.#send(answer, window),
    );
  }

  /** Reports progress now. `end` says how the run ended; absent while it is in progress. */
  showProgress(end?: RunEnd): void {
    const { clock, sink, plan } = this.#options;
    this.#reportedAt = clock.now();
    const progress = historyProgress(this.#done, plan.windows.length, this.#records, end);
    const remaining = end && !end.finished ? this.remaining() : undefined;
    sink.showProgress(remaining ? { ...progress, remaining } : progress);
  }

  /** The part of the range not sent yet, as ISO 8601 times in UTC; undefined when nothing is left. */
  remaining(): HistoryProgress["remaining"] {
    const { plan } = this.#options;
    const window = plan.windows[this.#done];
    const start = window && this.#pass.resumeFrom(window);
    if (start === undefined || start >= plan.end) return undefined;
    return { startTime: new Date(start).toISOString(), endTime: new Date(plan.end).toISOString() };
  }

  async #send({ records, unreadable }: RecordAnswer, window: TimeWindow): Promise<void> {
    const { plan, clock, sink, signal, isBatch } = this.#options;
    for (const { fault } of unreadable) {
      this.#unreadable += 1;
      if (this.#unreadable <= MAX_REPORTED) sink.report(new ResponseError(fault));
    }
    const due = this.#pass.select(records, window, clock.now());
    if (due.length > 0) await sink.prepare();
    const send = (portion: readonly DueRecord[]): void => {
      sink.send(portion);
      this.#pass.sent(portion, window);
      this.#records += portion.length;
    };
    // Backpressure: no new request starts before the flow has processed these records.
    await inPortions(due, { signal, isWhole: isBatch, send });
    this.#done += 1;
    // The end of a run is always reported, by its owner.
    const isRunning = this.#done < plan.windows.length;
    if (isRunning && clock.now() - this.#reportedAt >= REPORT_INTERVAL) this.showProgress();
  }
}

/** @param total requests in the run; 0 before it is planned */
export function historyProgress(done: number, total: number, records: number, end?: RunEnd): HistoryProgress {
  // Rounded down, so that 100 means finished.
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  return { done, total, records, percent, finished: false, cancelled: false, ...end };
}
