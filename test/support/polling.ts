// Shared by poll tests: a node with a fake date and a real service, restarts, and the expected intervals.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type sinon from "sinon";
import type { RecordInfo } from "../../src/messages/messages";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { MINUTE } from "../../src/time-units";
import { type NodeOptions, type NodeUnderTest, startNode } from "./flow";
import { usePassingTime } from "./passing-time";
import { startService, type TestService, type TestServiceOptions } from "./service";

/** Seven minutes past ten: the newest record ended at 10:05. */
export const NOW = Date.UTC(2026, 5, 10, 10, 7);

/** Stops a wait that never succeeds: in simulated seconds. */
const MAX_WAIT = 1000;

export interface SentRecord {
  payload: TelemetryRecord;
  energy: { kind: string } & RecordInfo;
  topic: string;
  siteId: string;
  systemId?: string;
}

/** The ends of the five-minute records in (from, to]. */
export function expectedEnds(from: number, to: number): number[] {
  const ends: number[] = [];
  const step = 5 * MINUTE;
  for (let end = Math.floor(from / step + 1) * step; end <= to; end += step) ends.push(end);
  return ends;
}

export function times(texts: string[]): number[] {
  return texts.map((text) => Date.parse(text));
}

export function endsOf(messages: SentRecord[]): number[] {
  return times(messages.map(({ payload }) => payload.endTime));
}

/** The id by which a delivery is confirmed; "" = none. */
export function deliveryOf(message: SentRecord | undefined): string {
  return message?.energy.delivery ?? "";
}

export class Polling {
  node!: NodeUnderTest;

  private constructor(
    readonly clock: sinon.SinonFakeTimers,
    readonly service: TestService,
    readonly userDir: string,
    private readonly type: string,
    private readonly defaults: Record<string, unknown>,
  ) {}

  /**
   * With `holdsTimers`, timers fire only when `advance` is called.
   * @param options.serviceAhead service time minus local time, in milliseconds
   */
  static async open(
    type: string,
    defaults: Record<string, unknown>,
    {
      holdsTimers = false,
      serviceAhead = 0,
      ...options
    }: Pick<TestServiceOptions, "records"> & { holdsTimers?: boolean; serviceAhead?: number } = {},
  ): Promise<Polling> {
    const timers = holdsTimers ? (["setTimeout", "clearTimeout"] as const) : [];
    const clock = usePassingTime(NOW - serviceAhead, timers);
    const userDir = await mkdtemp(join(tmpdir(), "energy-sites-"));
    const service = await startService({ ...options, now: () => Date.now() + serviceAhead });
    return new Polling(clock, service, userDir, type, defaults);
  }

  async close(): Promise<void> {
    await this.node.stop();
    await this.service.close();
    this.clock.restore();
    // What was learned of the rhythm of a series may still be on its way to the disk.
    await rm(this.userDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 5 });
  }

  /** @param others further nodes of the flow */
  async start(
    properties: Record<string, unknown> = {},
    others: NonNullable<NodeOptions["others"]> = [],
  ): Promise<NodeUnderTest> {
    const account = { baseUrl: this.service.baseUrl, apiVersion: "2026-01-01.preview" };
    this.node = await startNode(
      this.type,
      { ...this.defaults, ...properties },
      { account, userDir: this.userDir, others },
    );
    return this.node;
  }

  async restart(properties: Record<string, unknown> = {}): Promise<NodeUnderTest> {
    await this.node.stop();
    return this.start(properties);
  }

  /** Confirms messages as a complete node after an mqtt out does: with the message, but another payload. */
  async confirm(...messages: (SentRecord | undefined)[]): Promise<void> {
    for (const message of messages) {
      this.node.input({ payload: "as text", energy: message?.energy });
      await this.node.completed();
    }
  }

  /** Triggers a run with a message and completes it. */
  async poll(message: Record<string, unknown> = {}): Promise<void> {
    this.node.input({ payload: "go", ...message });
    await this.node.completed();
  }

  /** Lets time pass, until the given number of minutes after NOW. */
  at(minutes: number): void {
    this.clock.setSystemTime(NOW + minutes * MINUTE);
  }

  /**
   * Advances the clock by seconds. However slow the machine is, requests take no time of this clock: those under way end
   * before it moves, and those it causes, before this resolves. Requires `holdsTimers`.
   */
  async advance(seconds: number): Promise<void> {
    await this.service.idle();
    await this.clock.tickAsync(seconds * 1000);
    await this.service.idle();
  }

  /** Advances the clock, a second at a time, until the condition holds. Requires `holdsTimers`. */
  async advanceUntil<T>(happened: Promise<T>): Promise<T> {
    const over = new AbortController();
    const end = (): void => over.abort();
    happened.then(end, end);
    await this.service.idle();
    for (let seconds = 0; seconds < MAX_WAIT && !over.signal.aborted; seconds += 1) await this.advance(1);
    return happened;
  }

  sent(port = 1): SentRecord[] {
    return this.node.sent<SentRecord>(port);
  }

  queries(): Record<string, string>[] {
    return this.service.requestsTo(/telemetry/).map(({ query }) => query);
  }
}
