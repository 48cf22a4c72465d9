// Shared by history tests: a node with a fake date and a real service, a range of three days, and its expected records.
import type sinon from "sinon";
import type { HistoryProgress, RecordInfo } from "../../src/messages/messages";
import type { IntervalRecord } from "../../src/models/telemetry";
import { MINUTE } from "../../src/time-units";
import { type NodeOptions, type NodeUnderTest, startNode } from "./flow";
import { usePassingTime } from "./passing-time";
import { times } from "./polling";
import { startService, type TestService } from "./service";

export const NOW = Date.UTC(2026, 10, 10, 10, 7);

export const THREE_DAYS = { startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-04T00:00:00Z" };
/** The start of those days. */
export const FIRST = Date.UTC(2026, 10, 1);

export interface SentRecord {
  payload: IntervalRecord;
  energy: { kind: string; siteName?: string } & RecordInfo;
  parts: { id: string; index: number; count?: number; type: string; len: number };
  topic: string;
}

/** The times every five minutes in [from, to). */
export function everyFiveMinutes(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / (5 * MINUTE) }, (_, index) => from + index * 5 * MINUTE);
}

export function startsOf(messages: SentRecord[]): number[] {
  return times(messages.map(({ payload }) => payload.startTime));
}

export class HistoryReading {
  node!: NodeUnderTest;

  private constructor(
    readonly clock: sinon.SinonFakeTimers,
    readonly service: TestService,
  ) {}

  /** @param ahead by how much the service's clock is ahead of the local one, in milliseconds */
  static async open(ahead = 0): Promise<HistoryReading> {
    const clock = usePassingTime(NOW);
    return new HistoryReading(clock, await startService({ now: () => Date.now() + ahead }));
  }

  async close(): Promise<void> {
    await this.node.stop();
    await this.service.close();
    this.clock.restore();
  }

  async start(
    properties: Record<string, unknown> = {},
    { account, ...options }: NodeOptions = {},
  ): Promise<void> {
    const { baseUrl } = this.service;
    this.node = await startNode(
      "energy-history",
      { siteId: "demo-house", ...properties },
      { account: { baseUrl, apiVersion: "2026-01-01.preview", ...account }, ...options },
    );
  }

  /** Completes a run; returns all records so far. */
  async read(payload: object, message: Record<string, unknown> = {}): Promise<SentRecord[]> {
    this.node.input({ payload, ...message });
    await this.node.completed();
    return this.node.sent<SentRecord>();
  }

  progress(): HistoryProgress[] {
    return this.node.sent<{ payload: HistoryProgress }>(2).map(({ payload }) => payload);
  }

  queries(): Record<string, string>[] {
    return this.service.requestsTo(/telemetry/).map(({ query }) => query);
  }
}
