// A totals node with a simulated service and a clock, new for each test of the suite that makes it.
import assert from "node:assert/strict";
import type { TotalsMessage } from "../../src/messages/messages";
import { type NodeUnderTest, startNode } from "./flow";
import { usePassingTime } from "./passing-time";
import { startService, type TestService } from "./service";

/** 12:02 in Berlin, on a day without a change of clocks: each test begins then. */
export const NOW = Date.parse("2026-05-06T10:02:00Z");
export const HOUSE = { siteId: "demo-house" };

export class TotalsNode {
  service!: TestService;
  node!: NodeUnderTest;
  clock!: ReturnType<typeof usePassingTime>;

  constructor() {
    beforeEach(async () => {
      this.clock = usePassingTime(NOW);
      this.service = await startService();
    });
    afterEach(async () => {
      await this.node.stop();
      await this.service.close();
      this.clock.restore();
    });
  }

  async start(
    properties: Record<string, unknown>,
    apiVersion = "",
    settings: Record<string, unknown> = {},
  ): Promise<void> {
    const account = { baseUrl: this.service.baseUrl, apiVersion };
    this.node = await startNode("energy-totals", properties, { account, settings });
  }

  async read(message: Record<string, unknown> = {}): Promise<TotalsMessage> {
    this.node.input({ payload: "go", ...message });
    return Promise.race([
      this.node.output<TotalsMessage>(),
      this.node.caught().then(({ error }) => assert.fail(error.message)),
    ]);
  }

  telemetry(): number {
    return this.service.requestsTo(/telemetry/).length;
  }
}
