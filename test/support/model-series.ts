// A series of records as a model: each with its interval and when the service publishes it; polled by the real code.
import { EventEmitter } from "node:events";
import type { AccountNode } from "../../nodes/shared/runtime/account";
import { SiteDirectory } from "../../src/client/site-directory";
import { AbortedError } from "../../src/errors";
import type { RecordInfo } from "../../src/messages/messages";
import type { IntervalRecord } from "../../src/models/telemetry";
import { MINUTE, type TimeWindow } from "../../src/ledger/window";
import { KeptState } from "../../nodes/shared/runtime/kept-state";
import type { Delivery, OnDelivered } from "../../nodes/shared/runtime/delivery";
import type { PollRule, RecordReader } from "../../nodes/shared/runtime/record-reader";
import type { Run } from "../../nodes/shared/runtime/runs";
import { SeriesPoll } from "../../nodes/shared/runtime/series-poll";
import type { StateStore } from "../../nodes/shared/runtime/state-store";
import type { Ledger } from "../../src/ledger/ledger";
import { readLedger } from "../../src/ledger/stored-ledger";

export interface ModelRecord extends TimeWindow {
  /** When the service gives it first; Infinity = never. */
  published: number;
}

export interface SentRecord extends RecordInfo {
  payload: IntervalRecord;
}

/** An account that knows nothing of the series' system. */
const ACCOUNT = Object.assign(new EventEmitter(), {
  directory: () => Promise.resolve(new SiteDirectory({ sites: () => Promise.resolve([]) })),
}) as unknown as AccountNode;
const KEY = { nodeId: "model-node" };
const SERIES = { siteId: "model-site", systemId: undefined };

export class ModelSeries {
  /** What output 1 got, in order. */
  readonly sent: SentRecord[] = [];
  /** Requests so far. */
  requests = 0;
  /** The ledger as it lies on disk. */
  stored: unknown;
  /** The next reads that fail, counted from 0. */
  failingReads = new Set<number>();
  /** Whether saves reach the disk: a process that is killed loses them. */
  isSaving = true;
  poll: SeriesPoll;

  constructor(
    private readonly records: () => ModelRecord[],
    private readonly rule: PollRule,
    private readonly createDelivery: (onDelivered: OnDelivered) => Delivery,
  ) {
    this.poll = this.restart();
  }

  /** A new process that knows only what was stored. */
  restart(): SeriesPoll {
    const store: StateStore = {
      load: (_key, read) => Promise.resolve(this.stored === undefined ? undefined : read(this.stored)),
      save: (_key, state) => {
        if (this.isSaving) this.stored = JSON.parse(JSON.stringify(state));
        return Promise.resolve();
      },
    };
    const ledger = new KeptState<Ledger>(store, KEY, readLedger);
    this.poll = new SeriesPoll(SERIES, this.#reader(), this.rule, ledger, this.createDelivery);
    return this.poll;
  }

  async run(isTriggered = true): Promise<void> {
    const run: Run = {
      message: {},
      isTriggered,
      signal: new AbortController().signal,
      account: () => ACCOUNT,
      service: () => Promise.reject(new AbortedError()),
      make: ({ payload, energy }) => ({ payload, energy }),
      send: (message) => {
        if (Array.isArray(message)) return;
        this.sent.push({ ...(message.energy as RecordInfo), payload: message.payload as IntervalRecord });
      },
    };
    await this.poll.run(run);
  }

  #reader(): RecordReader {
    return {
      source: "telemetry",
      pc1: false,
      hasNewestOutput: false,
      energy: (info) => ({ kind: "telemetry", ...info }),
      read: (_run, _address, window) => {
        this.requests += 1;
        if (this.failingReads.delete(this.requests)) return Promise.reject(new Error("no answer"));
        if (window.end - window.start > 24 * 60 * MINUTE) throw new Error("a window of more than 24 hours");
        return Promise.resolve(this.#answer(window));
      },
    };
  }

  #answer(window: TimeWindow): IntervalRecord[] {
    return this.records()
      .filter(
        ({ published, start, end }) => published <= Date.now() && start < window.end && end > window.start,
      )
      .map(({ start, end }) => ({
        startTime: new Date(start).toISOString(),
        endTime: new Date(end).toISOString(),
      }));
  }
}
