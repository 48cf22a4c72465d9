// A service for one series whose answers are cut, refused or broken, and how each kind of node reads it: one judge for all.
import assert from "node:assert/strict";
import { type EnergyError, errorText, HttpError, ResponseError, TimeoutError } from "../../src/errors";
import { HistoryRun } from "../../src/history/history-run";
import { planRange } from "../../src/history/plan";
import type { Ledger } from "../../src/ledger/ledger";
import { readLedger, storedLedger } from "../../src/ledger/stored-ledger";
import type { RecordAnswer } from "../../src/models/responses";
import type { TimedRecord } from "../../src/models/telemetry";
import type { PollReport } from "../../src/polling/ports";
import { SeriesPoller } from "../../src/polling/series-poller";
import { RecordReader } from "../../src/reading/record-reader";
import { HOUR, isInWindow, MAX_WINDOW, MINUTE, type TimeWindow } from "../../src/time-units";
import { timed } from "../support/timed";

/** How the service fails. */
export interface Trouble {
  /** Records in an answer; the rest is cut off. */
  limit?: number | undefined;
  /** Longer windows are not answered in time or, with a status, refused. */
  longest?: number | undefined;
  /** Windows that touch one of these are refused with the status. */
  poison?: readonly TimeWindow[] | undefined;
  /** Windows that begin before are refused. */
  keptFrom?: number | undefined;
  /** "errors": an answer that names errors beside its data. */
  status?: number | "errors" | undefined;
  /** Starts of records that cannot be read. */
  unreadable?: readonly number[] | undefined;
}

/** What a node has made of the service. */
export interface Read {
  /** In the order sent. */
  sent: readonly TimeWindow[];
  /** Told to be missing. */
  missing: readonly TimeWindow[];
}

export class ModelService {
  requests = 0;
  /** The ledger of a poll, on disk. */
  #stored: unknown;
  trouble: Trouble = {};
  readonly clock = { now: () => this.now, monotonic: () => this.now, isSure: true };
  #signal = new AbortController().signal;

  constructor(
    readonly records: readonly TimeWindow[],
    public now: number,
  ) {}

  readonly source = {
    read: async (window: TimeWindow): Promise<RecordAnswer> => {
      this.requests += 1;
      await Promise.resolve();
      assert.ok(window.end - window.start <= MAX_WINDOW && window.end > window.start);
      const { limit = 1e9, longest = MAX_WINDOW, poison = [], keptFrom = 0, unreadable = [] } = this.trouble;
      if (window.end - window.start > longest)
        throw this.trouble.status === undefined ? new TimeoutError("answerNotUnpacked") : this.#refusal;
      const isRefused = window.start < keptFrom || poison.some((one) => isInWindow(one, window));
      if (isRefused) throw this.#refusal;
      const shown = this.records.filter((one) => isInWindow(one, window)).slice(0, limit);
      return {
        records: shown.filter(({ start }) => !unreadable.includes(start)).map(recordOf),
        unreadable: shown
          .filter(({ start }) => unreadable.includes(start))
          .map(({ start }) => ({ fault: errorText("answerNotUnpacked"), id: String(start) })),
      };
    },
  };

  get #refusal(): EnergyError {
    const { status = 500 } = this.trouble;
    if (status === "errors") return new ResponseError(errorText("answerNotUnpacked"));
    return new HttpError(errorText("refused", { what: "Telemetry", status }), { statusCode: status });
  }

  /** As history and rgm read read a range. */
  async history(range: TimeWindow): Promise<Read & { run: HistoryRun }> {
    const sent: TimeWindow[] = [];
    const run = new HistoryRun({
      plan: planRange(range),
      clock: this.clock,
      isBatch: true,
      signal: this.#signal,
    });
    const series = { ...this.source, lateness: () => 0, report: () => undefined };
    await run.read(series, (records) => void sent.push(...records.map(({ start, end }) => ({ start, end }))));
    return { sent, missing: run.missing, run };
  }

  /** The newest record, as latest value reads it. */
  async newest(isLast?: (record: TimedRecord) => boolean): Promise<TimedRecord | undefined> {
    const reader = new RecordReader(this.source, this.clock, this.#signal);
    const { records } = await reader.readNewest((latest) => latest.records.length > 0, isLast);
    return records.at(-1);
  }

  /** As lives of a telemetry poll do, each of one run, of which only the stored ledger is left. */
  async lives(start: number, times: readonly number[]): Promise<Read> {
    const sent: TimeWindow[] = [];
    const missing: TimeWindow[] = [];
    const report = (one: PollReport): void => {
      if (one.kind === "failing") missing.push(one.window);
    };
    const startBefore = this.now - start;
    for (const now of times) {
      this.now = now;
      const poller = new SeriesPoller({
        store: {
          load: () =>
            Promise.resolve(
              this.#stored === undefined ? undefined : readLedger(structuredClone(this.#stored)),
            ),
          save: (ledger: Ledger | undefined) =>
            Promise.resolve(void (this.#stored = ledger && storedLedger(ledger))),
        },
        clock: this.clock,
        rule: {
          lookBack: 0,
          fillsGaps: true,
          gapHorizon: 72 * HOUR,
          gapRetryDelay: 5 * MINUTE,
          startBefore,
          isBatch: false,
        },
      });
      const sink = {
        send: (batches: readonly { records: readonly TimeWindow[] }[]) =>
          void sent.push(
            ...batches.flatMap(({ records }) => records.map((one) => ({ start: one.start, end: one.end }))),
          ),
        report,
      };
      await poller
        .read({ source: this.source, sink, signal: this.#signal, isByMessage: true })
        .then(() => poller.ledger.flush())
        .catch(() => undefined);
      poller.delivery?.stop();
    }
    return { sent, missing };
  }
}

function recordOf({ start, end }: TimeWindow): TimedRecord {
  return timed({ startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() });
}

/** Records of five minutes that fill a range. */
export function fiveMinutes({ start, end }: TimeWindow): TimeWindow[] {
  const records: TimeWindow[] = [];
  for (let time = start; time < end; time += 5 * MINUTE)
    records.push({ start: time, end: time + 5 * MINUTE });
  return records;
}

/** Judges what was sent of a range: nothing invented, nothing twice, nothing lost untold. */
export function judge({ records, now }: ModelService, { sent, missing }: Read, range: TimeWindow): void {
  const key = ({ start, end }: TimeWindow): string => `${start}-${end}`;
  const keys = sent.map(key);
  assert.equal(new Set(keys).size, keys.length, "sent twice");
  const ids = sent.map(({ start }) => start);
  assert.equal(new Set(ids).size, ids.length, "one id for two records");
  const expected = records.filter((one) => isInWindow(one, range) && one.end <= now);
  const known = new Set(expected.map(key));
  assert.ok(
    keys.every((one) => known.has(one)),
    "invented",
  );
  const isSent = new Set(keys);
  const lost = expected.filter((one) => !isSent.has(key(one)));
  assert.ok(
    lost.every((one) => missing.some((window) => isInWindow(one, window))),
    `lost untold: ${lost.map((one) => (one.start - range.start) / MINUTE).join()}`,
  );
}
