// A model series for the real engine to poll: each record has an interval and a publication time.
import type { Clock } from "../../src/clock";
import { type EnergyError, errorText, ResponseError, StoreError } from "../../src/errors";
import type { DueRecord } from "../../src/ledger/due-record";
import type { Ledger } from "../../src/ledger/ledger";
import { recordId } from "../../src/ledger/record-id";
import { readLedger, storedLedger } from "../../src/ledger/stored-ledger";
import type { RecordAnswer } from "../../src/models/timed-record";
import { UnreadableItem } from "../../src/models/unreadable-item";
import { timed } from "../support/timed";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../../src/ledger/window";
import type { ConfirmRule } from "../../src/polling/confirmed-delivery";
import type { PollNotice, RecordSink, RecordSource } from "../../src/polling/ports";
import { type PollRule, SeriesPoller } from "../../src/polling/series-poller";
import { eventLoopTurn } from "../../src/waiting";
import type { StateStore } from "../../src/stored-state";

export interface ModelRecord extends TimeWindow {
  /** When the service first returns the record; Infinity = never. */
  published: number;
  /** Fields to add or replace. */
  changes?: object;
}

export interface SentRecord {
  due: DueRecord;
  recordId: string;
  deliveryId: string | undefined;
}

const ADDRESS = { siteId: "model-site" };

/** The error of reads that the test makes fail. */
export const NO_ANSWER = new ResponseError(errorText("answerNotUnpacked"));

export interface ModelSeriesOptions {
  records: readonly ModelRecord[];
  rule: PollRule;
  clock: Clock;
  confirmRule?: ConfirmRule;
  /** The service's own time, if its clock is another. */
  serviceNow?: () => number;
  /** Called with each answer. */
  onAnswer?: () => void;
}

export class ModelSeries {
  /** The records that the flow received, in order. */
  readonly sent: SentRecord[] = [];
  /** The number of requests so far. */
  requests = 0;
  /** The ledger as stored on disk. */
  stored: string | undefined;
  /** The windows answered, in order. */
  readonly answered: TimeWindow[] = [];
  /** Intervals that no answer may touch, and the error of windows that do. */
  readonly poison = new Map<TimeWindow, EnergyError>();
  /** Whether no request is answered. */
  isDown = false;
  /** Starts of records that cannot be read. */
  readonly unreadable = new Set<number>();
  /** Which of the next reads fail, counted from 1. */
  readonly failingReads = new Set<number>();
  /** Whether saves reach the disk; a killed process loses them. */
  isSaving = true;
  /** Whether nothing can be sent to the flow. */
  isFlowBroken = false;
  /** Whether the disk is full. */
  isStoreBroken = false;
  poller: SeriesPoller;
  readonly #options: ModelSeriesOptions;

  constructor(options: ModelSeriesOptions) {
    this.#options = options;
    this.poller = this.restart();
  }

  /** Starts a new process that knows only what was stored. */
  restart(): SeriesPoller {
    const { rule, clock, confirmRule } = this.#options;
    this.poller?.stop();
    this.poller = new SeriesPoller({ source: this.#source, store: this.#store, clock, rule, confirmRule });
    return this.poller;
  }

  /** `turns`: after so many turns of the event loop the run is aborted, as when its node is closed. */
  async run(isTriggered = true, turns = Number.POSITIVE_INFINITY): Promise<void> {
    const abort = new AbortController();
    const running = this.poller.run({ sink: this.#sink, signal: abort.signal, isTriggered });
    if (turns === Number.POSITIVE_INFINITY) return void (await running);
    running.catch(() => undefined);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    return void (await running);
  }

  /** Everything told so far. */
  readonly notices: PollNotice[] = [];

  readonly #sink: RecordSink = {
    notify: (notice) => void this.notices.push(notice),
    // Slow, so that a run can be aborted meanwhile.
    prepare: (signal) => eventLoopTurn(signal),
    send: (batches) => {
      if (this.isFlowBroken) throw new Error("the message cannot be copied");
      for (const { records, deliveryId } of batches) {
        for (const due of records)
          this.sent.push({ due, recordId: recordId(ADDRESS, "telemetry", due.start), deliveryId });
      }
    },
  };

  readonly #store: StateStore<Ledger> = {
    load: () => Promise.resolve(this.stored === undefined ? undefined : readLedger(JSON.parse(this.stored))),
    save: (state) => {
      if (this.isStoreBroken) return Promise.reject(new StoreError("storeWritten", { reason: "full" }));
      if (this.isSaving) this.stored = JSON.stringify(storedLedger(state));
      return Promise.resolve();
    },
  };

  readonly #source: RecordSource = {
    read: (window) => {
      this.requests += 1;
      if (this.failingReads.delete(this.requests)) return Promise.reject(NO_ANSWER);
      if (window.end - window.start > MAX_WINDOW) throw new RangeError("a window of more than 24 hours");
      if (this.isDown) return Promise.reject(NO_ANSWER);
      const [, error] = [...this.poison].find(([interval]) => isInWindow(interval, window)) ?? [];
      if (error) return Promise.reject(error);
      this.answered.push(window);
      this.#options.onAnswer?.();
      return Promise.resolve(this.#answer(window));
    },
  };

  #answer(window: TimeWindow): RecordAnswer {
    const now = this.#options.serviceNow?.() ?? this.#options.clock.now();
    const present = this.#options.records.filter(
      ({ published, start, end }) => published <= now && start < window.end && end > window.start,
    );
    const isReadable = ({ start }: ModelRecord): boolean => !this.unreadable.has(start);
    return {
      records: present.filter(isReadable).map(({ start, end, changes }) =>
        timed({
          startTime: new Date(start).toISOString(),
          endTime: new Date(end).toISOString(),
          ...changes,
        }),
      ),
      unreadable: present
        .filter((record) => !isReadable(record))
        .map(({ start }) => new UnreadableItem(errorText("answerNotUnpacked"), String(start))),
    };
  }
}
