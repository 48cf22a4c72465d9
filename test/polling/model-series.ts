// A model series for the real engine to poll: each record has an interval and a publication time.
import type { Clock } from "../../src/clock";
import { type EnergyError, errorText, ResponseError, StoreError } from "../../src/errors";
import { carriedLedger, readCarriedLedger } from "../../src/ledger/stored-ledger";
import type { DueRecord } from "../../src/ledger/due-records";
import type { Ledger } from "../../src/ledger/ledger";
import { recordId, seriesId } from "../../src/series/identity";
import { readLedger, storedLedger } from "../../src/ledger/stored-ledger";
import type { RecordAnswer } from "../../src/models/responses";
import type { TimedRecord } from "../../src/models/telemetry";
import { timed } from "../support/timed";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../../src/time-units";
import type { PollReport, RecordSink } from "../../src/polling/ports";
import type { RecordSource } from "../../src/reading/record-reader";
import type { PollRule } from "../../src/polling/ports";
import { SeriesPoller } from "../../src/polling/series-poller";
import type { StateStore } from "../../src/stored-state";

export interface ModelRecord extends TimeWindow {
  /** When the service first returns the record; Infinity = never. */
  published: number;
  /** When it no longer does, because another has replaced it. */
  withdrawn?: number;
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
  /** The service's own time, if its clock is another. */
  serviceNow?: () => number;
  /** Called with each answer. */
  onAnswer?: () => void;
  /** Whether each run is made by another worker, which knows only the ledger that came back from the one before. */
  isCarried?: boolean;
}

/** A message of a run whose ledger travels. */
export interface CarriedMessage {
  sent: SentRecord[];
  ledger: string;
}

const SERIES_ID = "model-site//telemetry";

/** Each is made once: most records are read many times, and some by several series. */
const MADE = new WeakMap<ModelRecord, TimedRecord>();

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
  /** How many records an answer has at most: the rest is cut off. */
  limit = Number.POSITIVE_INFINITY;
  /** How far the replica is behind that gives every other answer, in milliseconds. */
  replicaLag = 0;
  /** Each so many-th answer names errors beside its data; 0 = none does. */
  faultEvery = 0;
  /** Whether saves reach the disk; a killed process loses them. */
  isSaving = true;
  /** Whether nothing can be sent to the flow. */
  isFlowBroken = false;
  /** Whether the disk is full. */
  isStoreBroken = false;
  /** The messages of the present run, where ledgers travel. */
  messages: CarriedMessage[] = [];
  /** How many of the messages of a run that fails reach their destination, and with them their ledgers. */
  delivered = (messages: readonly CarriedMessage[]): number => messages.length;
  poller: SeriesPoller;
  readonly #options: ModelSeriesOptions;
  /** In the order of an answer. */
  readonly #records: readonly ModelRecord[];
  readonly #longest: number;

  constructor(options: ModelSeriesOptions) {
    this.#options = options;
    this.#records = options.records.toSorted((one, other) => one.start - other.start || one.end - other.end);
    this.#longest = this.#records.reduce((longest, { start, end }) => Math.max(longest, end - start), 0);
    this.poller = this.restart();
  }

  /** Starts a new process that knows only what was stored. */
  restart(): SeriesPoller {
    const { rule, clock } = this.#options;
    this.poller?.delivery?.stop();
    this.poller = new SeriesPoller({ store: this.#store, clock, rule });
    return this.poller;
  }

  #brought(): Ledger | undefined {
    return this.stored === undefined ? undefined : readCarriedLedger(JSON.parse(this.stored), SERIES_ID);
  }

  /** `turns`: after so many turns of the event loop the run is aborted, as when its node is closed. */
  async run(isByMessage = true, turns = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.#options.isCarried)
      return this.#aborted(turns, async (signal) => {
        await this.poller.read({ ...this.#ports, signal, isByMessage });
        await this.poller.ledger.flush();
      });
    this.messages = [];
    const known = this.sent.length;
    const { clock, rule } = this.#options;
    try {
      const poller = new SeriesPoller({ clock, rule, carried: { brought: this.#brought() } });
      await this.#aborted(turns, async (signal) => {
        await poller.read({ ...this.#ports, signal, isByMessage });
        this.stored = JSON.stringify(carriedLedger(poller.ledger.current, SERIES_ID));
      });
    } catch (error) {
      const delivered = this.messages.slice(0, this.delivered(this.messages));
      this.sent.splice(known, this.sent.length, ...delivered.flatMap(({ sent }) => sent));
      this.stored = delivered.at(-1)?.ledger ?? this.stored;
      throw error;
    }
  }

  async #aborted(turns: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    const running = work(abort.signal);
    if (turns === Number.POSITIVE_INFINITY) return running;
    running.catch(() => undefined);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    return running;
  }

  /** Everything told so far. */
  readonly notices: PollReport[] = [];

  readonly #sink: RecordSink = {
    report: (report) => void this.notices.push(report),
    // Slow, so that a run can be aborted meanwhile.
    send: (batches) => {
      if (this.isFlowBroken) throw new Error("the message cannot be copied");
      for (const { records, deliveryId, ledger } of batches) {
        const sent = records.map((due) => {
          return { due, recordId: recordId(seriesId(ADDRESS, "telemetry"), due.start), deliveryId };
        });
        this.sent.push(...sent);
        if (ledger) this.messages.push({ sent, ledger: JSON.stringify(carriedLedger(ledger, SERIES_ID)) });
      }
    },
  };

  readonly #store: StateStore<Ledger> = {
    load: () => Promise.resolve(this.stored === undefined ? undefined : readLedger(JSON.parse(this.stored))),
    save: (state) => {
      if (this.isStoreBroken) return Promise.reject(new StoreError("storeWritten", { reason: "full" }));
      if (this.isSaving) this.stored = state && JSON.stringify(storedLedger(state));
      return Promise.resolve();
    },
  };

  readonly #source: RecordSource = {
    read: (window) => {
      this.requests += 1;
      if (this.failingReads.delete(this.requests)) return Promise.reject(NO_ANSWER);
      if (window.end - window.start > MAX_WINDOW) throw new RangeError("a window of more than 24 hours");
      const isFaulty = this.faultEvery > 0 && this.requests % this.faultEvery === 0;
      if (this.isDown || isFaulty) return Promise.reject(NO_ANSWER);
      const [, error] = [...this.poison].find(([interval]) => isInWindow(interval, window)) ?? [];
      if (error) return Promise.reject(error);
      this.answered.push(window);
      this.#options.onAnswer?.();
      return Promise.resolve(this.#answer(window));
    },
  };

  get #ports(): { source: RecordSource; sink: RecordSink } {
    return { source: this.#source, sink: this.#sink };
  }

  /** Of the first record that begins at a time or later. */
  #indexFrom(time: number): number {
    let [from, until] = [0, this.#records.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((this.#records[middle]?.start ?? 0) < time) from = middle + 1;
      else until = middle;
    }
    return from;
  }

  #shown(record: ModelRecord): TimedRecord {
    const made = MADE.get(record);
    if (made) return made;
    const [startTime = "", endTime = ""] = [record.start, record.end].map((time) =>
      new Date(time).toISOString(),
    );
    const shown = timed({ startTime, endTime, ...record.changes });
    MADE.set(record, shown);
    return shown;
  }

  #answer(window: TimeWindow): RecordAnswer {
    const { clock, serviceNow = () => clock.now() } = this.#options;
    const now = serviceNow() - (this.requests % 2) * this.replicaLag;
    const answer = { records: [] as TimedRecord[], unreadable: [] as RecordAnswer["unreadable"][number][] };
    const { records, unreadable } = answer;
    // Most are of another time.
    const [first, behind] = [this.#indexFrom(window.start - this.#longest), this.#indexFrom(window.end)];
    for (let index = first; index < behind && records.length + unreadable.length < this.limit; index += 1) {
      const record = this.#records[index];
      if (!record || record.end <= window.start || record.published > now) continue;
      if (record.withdrawn !== undefined && record.withdrawn <= now) continue;
      if (!this.unreadable.has(record.start)) records.push(this.#shown(record));
      else unreadable.push({ fault: errorText("answerNotUnpacked"), id: String(record.start) });
    }
    return answer;
  }
}
