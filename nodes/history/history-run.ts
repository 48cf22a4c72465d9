// One run of history: reads a range request by request, hands its records on in order, and tells how far it has come.
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { AbortedError, EnergyError } from "../../src/client/errors";
import type { HistoryProgress } from "../../src/messages";
import type { IntervalRecord } from "../../src/models/telemetry";
import { HistoryPass } from "../../src/records/history-pass";
import { type HistoryPlan, planDays, planRange, readHistoryRequest } from "../../src/records/history-plan";
import { ProgressMeter } from "../../src/records/history-progress";
import type { DueRecord } from "../../src/records/ledger";
import type { SeriesAddress } from "../../src/records/record-id";
import { inOrder, type TimedRecord } from "../../src/records/timed-record";
import type { TimeWindow } from "../../src/records/window";
import { addressOf, type SystemDef } from "../shared/runtime/address";
import { basisTeller } from "../shared/runtime/basis-teller";
import { batchContent, recordContent, type RecordTeller } from "../shared/runtime/record-message";
import { recordQuery } from "../shared/runtime/record-query";
import type { Run, ServiceNodeDef } from "../shared/runtime/runs";
import { OpenSequence } from "../shared/runtime/sequence";
import { nodeStatus, recordsStatus, type StatusText } from "../shared/runtime/status";
import { readAhead } from "./read-ahead";

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

  constructor(
    private readonly RED: NodeAPI,
    private readonly node: Node,
    private readonly config: HistoryDef,
    private readonly run: Run,
    /** Aborted when the run is cancelled or the node is closed. */
    private readonly stop: AbortSignal,
  ) {}

  async read(): Promise<StatusText> {
    const { RED, node, config, run } = this;
    const request = readHistoryRequest(run.message.payload, Date.now());
    const address = await addressOf(RED, node, config, run.message);
    const plan =
      "day" in request
        ? planDays(request, await this.#timeZone(address), Date.now())
        : planRange(request, Date.now());
    const meter = new ProgressMeter(plan.windows.length, Date.now());
    const sequence = new OpenSequence(RED, run);
    this.#tell(address, meter);
    try {
      await this.#handOn(address, plan, sequence, meter);
    } catch (error) {
      if (run.signal.aborted) throw error;
      sequence.breakOff();
      if (this.stop.aborted) this.#tell(address, meter, { cancelled: true });
      throw withRemaining(error, this.#remaining(plan, meter));
    }
    sequence.end();
    this.#tell(address, meter, { finished: true });
    return recordsStatus(meter.records);
  }

  async #handOn(
    address: SeriesAddress,
    plan: HistoryPlan,
    sequence: OpenSequence,
    meter: ProgressMeter,
  ): Promise<void> {
    const teller: RecordTeller = {
      source: this.config.source === "rgm" ? "rgm" : "telemetry",
      energy: (info) => ({ kind: "history", ...info }),
    };
    for await (const { window, records } of readAhead(plan.windows, AHEAD, (next) =>
      this.#ask(address, next),
    )) {
      const withBasis = await basisTeller(this.run, address);
      const due = this.#pass.take(records, window, Date.now()).map(withBasis);
      for (const group of this.#grouped(due)) {
        const content = this.config.output === "batch" ? batchContent : recordContent;
        sequence.add(content(address, teller, group));
      }
      // The next request waits until the flow has taken what it got.
      await eventLoopTurn();
      if (this.stop.aborted) throw new AbortedError();
      meter.count(due.length);
      if (meter.isDue(Date.now())) this.#tell(address, meter);
    }
  }

  #grouped(due: DueRecord[]): DueRecord[][] {
    if (this.config.output !== "batch") return due.map((record) => [record]);
    return due.length > 0 ? [due] : [];
  }

  async #ask(address: SeriesAddress, window: TimeWindow): Promise<Answer> {
    const service = await this.run.service();
    const query = recordQuery(address, window);
    const options = { signal: this.stop };
    const includeInverter = this.config.includeInverter === true;
    const records: IntervalRecord[] =
      this.config.source === "rgm"
        ? await service.rgmTelemetry(query, options)
        : await service.telemetry({ ...query, includeInverter }, options);
    return { window, records: inOrder(records) };
  }

  async #timeZone({ siteId }: SeriesAddress): Promise<unknown> {
    const service = await this.run.service();
    const pc1 = this.config.source === "rgm";
    return (await service.site(siteId, { signal: this.stop, pc1 })).timezone;
  }

  #tell(address: SeriesAddress, meter: ProgressMeter, end?: Partial<HistoryProgress>): void {
    const now = Date.now();
    const payload = meter.tell(now, end);
    this.run.send([null, this.run.make({ payload, address, energy: { kind: "history" } })]);
    if (end) return;
    const values = { percent: meter.percent, left: timeLeft(meter.secondsLeft(now)) };
    this.node.status(nodeStatus(this.RED, { key: "history", values, fill: "blue", shape: "ring" }));
  }

  /** What was not handed on yet, as a payload that asks for it. */
  #remaining(
    { windows, end }: HistoryPlan,
    { done }: ProgressMeter,
  ): { startTime: string; endTime: string } | undefined {
    const window = windows[done];
    if (!window) return undefined;
    const start = new Date(this.#pass.startFor(window));
    return { startTime: start.toISOString(), endTime: new Date(end).toISOString() };
  }
}

function withRemaining(
  error: unknown,
  remaining: { startTime: string; endTime: string } | undefined,
): unknown {
  if (error instanceof EnergyError && remaining) error.details.remaining = remaining;
  return error;
}

function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
