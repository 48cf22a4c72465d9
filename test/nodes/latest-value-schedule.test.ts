// Tests for latest value on a schedule and on close: it repeats no reason, and reports nothing about an aborted request.
import assert from "node:assert/strict";
import sinon from "sinon";
import { MINUTE } from "../../src/time-units";
import { type NodeUnderTest, startNode } from "../support/flow";
import { startService, type TestService } from "../support/service";

describe("latest value on a schedule", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;
  let runs: number;

  beforeEach(async () => {
    const now = Date.UTC(2026, 5, 10, 10, 7);
    clock = sinon.useFakeTimers({ now, toFake: ["Date", "setTimeout", "clearTimeout"] });
    service = await startService();
    // A request lasts until the test starts the next run.
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview", timeout: 3600 };
    node = await startNode("energy-latest-value", { siteId: "demo-house", repeat: 5 }, { account });
    runs = 0;
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const nextRun = async (): Promise<void> => {
    runs += 1;
    await clock.tickAsync(5 * MINUTE);
    await service.answered.reach(/telemetry/, runs);
    await service.roundTrip();
  };
  const counts = (): number[] => [node.sent(1).length, node.sent(2).length];

  it("reports a missing value once, and again after there was one; on a message, every time", async () => {
    service.hideRecords(() => true);
    for (let count = 0; count < 3; count += 1) await nextRun();
    assert.deepEqual(counts(), [0, 1]);
    service.hideRecords(undefined);
    await nextRun();
    assert.deepEqual(counts(), [1, 1]);
    service.hideRecords(() => true);
    await nextRun();
    assert.deepEqual(counts(), [1, 2]);
    node.input({});
    await node.completed();
    assert.deepEqual(counts(), [1, 3]);
  });

  it("sends nothing for a request that is aborted on close", async () => {
    const hold = service.hold(/telemetry/);
    node.input({});
    await hold.arrived();
    await node.redeploy();
    await service.abandoned.reach(/telemetry/, 1);
    hold.release();
    node.input({});
    await node.completed();
    assert.deepEqual(counts(), [1, 0]);
    assert.deepEqual(node.caughtSoFar(), []);
  });
});
