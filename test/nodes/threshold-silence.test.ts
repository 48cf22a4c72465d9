// Tests for threshold without messages: silence is reported, a hold ends on time, and no timer outlives the node.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import type { ThresholdMessage } from "../../src/messages/messages";
import { MINUTE } from "../../src/time-units";
import type { NodeOptions } from "../support/flow";
import { temporaryFolder } from "../support/temporary";
import { HIGH, startThreshold, type ThresholdNode, UNSAFE } from "../support/threshold-node";

describe("threshold without messages", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (
    properties: Record<string, unknown> = {},
    options: NodeOptions = {},
  ): Promise<void> => {
    node = await startThreshold(properties, options);
  };
  const pass = (minutes: number): Promise<number> => clock.tickAsync(minutes * MINUTE);

  it("reports on output 3 that data has stopped, with the subject", async () => {
    await start({ maxAge: 15 });
    await node.process({ payload: 70, topic: "a/b", siteId: "a", systemId: "b", other: 1 });
    await pass(15);
    assert.deepEqual(node.counts(), [1, 0, 0]);
    await pass(1);
    assert.deepEqual(node.counts(), [1, 0, 1]);
    const { _msgid, ...sent } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
    assert.deepEqual(sent, {
      payload: null,
      topic: "a/b",
      siteId: "a",
      systemId: "b",
      energy: { kind: "threshold", reason: "stale", value: null },
    });
  });

  it("sends the edge of a value that has held, with the last message", async () => {
    await start({ hold: 5 });
    await node.process({ payload: 70, other: 1 });
    await pass(3);
    await node.process({ payload: 71, other: 2 });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(2);
    assert.deepEqual(node.counts(), [1, 0, 0]);
    const sent = await node.output<ThresholdMessage & { other: number }>(HIGH);
    assert.deepEqual([sent.payload, sent.other, sent.energy.value], [71, 2, 71]);
  });

  it("sends no edge for a value that returns in time", async () => {
    await start({ hold: 5 });
    await node.process({ payload: 70 });
    await pass(4);
    await node.process({ payload: 40 });
    await pass(10);
    assert.deepEqual(node.counts(), [0, 0, 0]);
  });

  it("leaves no timer on close", async () => {
    await start();
    assert.equal(clock.countTimers(), 0);
    await node.process({ payload: 40 });
    assert.equal(clock.countTimers(), 1);
    await node.redeploy();
    await node.process({ payload: 40 });
    assert.equal(clock.countTimers(), 1);
    await node.redeploy({ property: "other" });
    assert.equal(clock.countTimers(), 0);
  });

  it("reports after a restart that data has stopped, once the flow has had a minute to send some", async () => {
    const userDir = temporaryFolder();
    await start({ maxAge: 15 }, { userDir });
    await node.process({ payload: 40 });
    await node.stop();
    clock.setSystemTime(Date.now() + 60 * MINUTE);
    await start({ maxAge: 15 }, { userDir });
    // Triggers no decision, and is done once the stored state is loaded.
    await node.process({ energy: { phase: "catchup" } });
    await pass(1);
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(1);
    assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "stale");
    assert.deepEqual(node.counts(), [0, 0, 1]);
  });

  it("decides by time although what it decides cannot be saved, and reports each failed save", async () => {
    const userDir = temporaryFolder();
    writeFileSync(join(userDir, "energy-sites"), "a file where the folder should be");
    await start({ maxAge: 15 }, { userDir });
    for (const topic of ["a", "b"]) {
      node.input({ payload: 70, topic });
      assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
    }
    assert.deepEqual(node.counts(), [2, 0, 0]);
    clock.tick(16 * MINUTE);
    assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
    assert.deepEqual(node.counts(), [2, 0, 2]);
  });
});
