// One run of history: reads a range request by request, hands its records on in order, and tells how far it has come.
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { AbortedError, EnergyError, type ErrorDetails } from "../../src/errors";
import { waitFor } from "../../src/waiting";
import type { HistoryProgress } from "../../src/messages/messages";
import {
  batchContent,
  grouped,
  recordContent,
  type RecordDescription,
} from "../../src/messages/record-message";
import { SERIES } from "../../src/messages/series";
import { HistoryPass } from "../../src/history/pass";
import { type HistoryPlan, planDays, planRange, readHistoryRequest } from "../../src/history/plan";
import { ProgressMeter } from "../../src/history/progress";
import type { RecordSource, SeriesAddress } from "../../src/ledger/record-id";
import { inOrder, type TimedRecord } from "../../src/ledger/timed-record";
import type { TimeWindow } from "../../src/ledger/window";
import { addressOf, type SystemDef } from "../shared/runtime/address";
import { basisTeller } from "../shared/runtime/basis-teller";
import { recordQuery } from "../shared/runtime/record-query";
import type { Run, ServiceNodeDef } from "../shared/runtime/runs";
import { OpenSequence } from "../shared/runtime/sequence";
import { nodeStatus, recordsStatus, type StatusText } from "../shared/runtime/status";
import { readAhead } from "../../src/history/read-ahead";

export interface HistoryDef extends ServiceNodeDef, SystemDef {
  source?: "telemetry" | "rgm";
  output?: "record" | "batch";
  includeInverter?: boolean;
}

/** Requests under way or waiting to be handed on: a few days of records in memory at the most. */
const AHEAD = 4;

interface Answer {
  window: TimeWindow;
  records: TimedRecord[];
}

export class HistoryRun {
  readonly #pass = new HistoryPass();
  readonly #sequence: OpenSequence;
  #address: SeriesAddress | undefined;
  #plan: HistoryPlan = { windows: [], end: 0 };
  #meter = new ProgressMeter(0, Date.now());

  constructor(
    private readonly RED: NodeAPI,
    private readonly node: Node,
    private readonly config: HistoryDef,
    private readonly run: Run,
    /** Aborted when the run is cancelled or the node is closed. */
    private readonly stop: AbortSignal,
  ) {
    this.#sequence = new OpenSequence(RED, run);
  }

  get #source(): RecordSource {
    return this.config.source === "rgm" ? "rgm" : "telemetry";
  }

  async read(): Promise<StatusText> {
    try {
      if (this.stop.aborted) throw new AbortedError();
      await this.#handOn(await this.#open());
    } catch (error) {
      if (this.run.signal.aborted) throw error;
      this.#sequence.breakOff();
      if (this.stop.aborted) this.#tell({ cancelled: true });
      throw withRemaining(error, this.#remaining());
    }
    this.#sequence.end();
    this.#tell({ finished: true });
    return recordsStatus(this.#meter.records);
  }

  /** Finds out what is asked for, and tells that it begins. */
  async #open(): Promise<SeriesAddress> {
    const { RED, node, config, run } = this;
    const request = readHistoryRequest(run.message.payload, Date.now());
    const address = await addressOf(RED, node, config, run.message);
    this.#address = address;
    this.#plan =
      "day" in request
        ? planDays(request, await this.#timeZone(address), Date.now())
        : planRange(request, Date.now());
    this.#meter = new ProgressMeter(this.#plan.windows.length, Date.now());
    this.#tell();
    return address;
  }

  async #handOn(address: SeriesAddress): Promise<void> {
    const isBatch = this.config.output === "batch";
    const content = isBatch ? batchContent : recordContent;
    const ask = (window: TimeWindow): Promise<Answer> => this.#ask(address, window);
    await readAhead(this.#plan.windows, AHEAD, ask, async ({ window, records }) => {
      const description: RecordDescription = {
        source: this.#source,
        energy: (info) => ({ kind: "history", ...info }),
        basisOf: await waitFor(basisTeller(this.run, address), this.stop),
      };
      const due = this.#pass.take(records, window, Date.now());
      for (const group of grouped(due, isBatch)) this.#sequence.add(content(address, description, group));
      this.#meter.count(due.length);
      // The next request waits until the flow has taken what it got.
      await eventLoopTurn();
      if (this.stop.aborted) throw new AbortedError();
      if (this.#meter.isDue(Date.now())) this.#tell();
    });
  }

  async #ask(address: SeriesAddress, window: TimeWindow): Promise<Answer> {
    const service = await this.run.service();
    const query = recordQuery(address, window);
    const includeInverter = this.config.includeInverter === true;
    const records = await SERIES[this.#source].read(
      service,
      { ...query, includeInverter },
      { signal: this.stop },
    );
    return { window, records: inOrder(records) };
  }

  async #timeZone({ siteId }: SeriesAddress): Promise<unknown> {
    const service = await this.run.service();
    const pc1 = SERIES[this.#source].needsPc1;
    return (await service.site(siteId, { signal: this.stop, pc1 })).timezone;
  }

  #tell(end?: Partial<HistoryProgress>): void {
    const now = Date.now();
    const address = this.#address ? { address: this.#address } : {};
    const payload = this.#meter.tell(now, end);
    this.run.send([null, this.run.make({ payload, ...address, energy: { kind: "history" } })]);
    if (end || this.#meter.done === 0) return;
    const { percent, records } = this.#meter;
    const values = { percent, records, left: timeLeft(this.#meter.secondsLeft(now)) };
    this.node.status(nodeStatus(this.RED, { key: "history:progress", values, fill: "blue", shape: "ring" }));
  }

  /** What was not handed on yet, as a payload that asks for it. */
  #remaining(): ErrorDetails["remaining"] {
    const window = this.#plan.windows[this.#meter.done];
    if (!window) return undefined;
    const start = new Date(this.#pass.startFor(window));
    return { startTime: start.toISOString(), endTime: new Date(this.#plan.end).toISOString() };
  }
}

/** An error of its own: others may have failed with the same one, such as a token that several waited for. */
function withRemaining(error: unknown, remaining: ErrorDetails["remaining"]): unknown {
  if (!(error instanceof EnergyError) || !remaining) return error;
  return new EnergyError(error.code, error.text, { ...error.details, remaining });
}

function timeLeft(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
