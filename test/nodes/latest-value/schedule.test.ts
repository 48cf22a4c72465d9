// Tests for latest value on a schedule and on close: each run has a message, and nothing is sent for an aborted request.
import assert from "node:assert/strict";
import sinon from "sinon";
import { MINUTE } from "../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

describe("latest value on a schedule", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    const now = Date.UTC(2026, 5, 10, 10, 7);
    clock = sinon.useFakeTimers({ now, toFake: ["Date", "setTimeout", "clearTimeout"] });
    service = await startService();
    // A request lasts until the test starts the next run.
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview", timeout: 3600 };
    node = await startNode("energy-latest-value", { siteId: "demo-house", repeat: 5 }, { account });
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  /** Resolves when the next scheduled run has sent a message on this output. */
  const nextRun = async (port: number): Promise<void> => {
    await clock.tickAsync(5 * MINUTE);
    await node.output(port);
    await service.idle();
  };
  const counts = (): number[] => [node.sent(1).length, node.sent(2).length];

  it("reports a missing value in every run, on a schedule as for a message", async () => {
    service.hideRecords(() => true);
    for (let count = 0; count < 3; count += 1) await nextRun(2);
    assert.deepEqual(counts(), [0, 3]);
    service.hideRecords(undefined);
    await nextRun(1);
    assert.deepEqual(counts(), [1, 3]);
    service.hideRecords(() => true);
    await nextRun(2);
    assert.deepEqual(counts(), [1, 4]);
    node.input({});
    await node.completed();
    assert.deepEqual(counts(), [1, 5]);
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
