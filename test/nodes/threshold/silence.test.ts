// Tests for threshold without messages: silence is reported, a hold ends on time, and no timer outlives the node.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import type { ThresholdMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import type { NodeOptions } from "../../support/flow";
import { temporaryFolder } from "../../support/temporary";
import { HIGH, socRecord, startThreshold, type ThresholdNode, UNSAFE } from "../../support/threshold-node";

describe("threshold without messages", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
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
    // Triggers no decision, and is done once the stored state is loaded.
    await node.process({ energy: { phase: "catchup" } });
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
      energy: { kind: "threshold", reason: "stale", value: 70 },
    });
  });

  it("reports nothing without a subject, however long ago a read failed before its system was known", async () => {
    await start({ maxAge: 15 });
    await node.process({ payload: null, energy: { kind: "latest-value", reason: "failed" } });
    for (let minutes = 0; minutes < 40; minutes += 5) {
      await pass(5);
      await node.process({ payload: 90, siteId: "S1", systemId: "a" });
    }
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  for (const [name, isKnown] of [
    ["before its first value", false],
    ["while it has one", true],
  ] as const) {
    it(`reports nothing for a site when a read fails before its system is known, ${name}`, async () => {
      await start();
      const value = { payload: 90, siteId: "S1", systemId: "a" };
      if (isKnown) await node.process(value);
      const energy = { kind: "latest-value", reason: "failed" };
      await node.process({ payload: null, siteId: "S1", energy });
      for (let minutes = 0; minutes < 40; minutes += 5) {
        await pass(5);
        await node.process(value);
      }
      assert.deepEqual(node.counts(), [1, 0, 0]);
    });
  }

  it("reports a site whose reads have failed since the start, and its first value after that", async () => {
    await start();
    await node.process({ payload: 90, siteId: "S0", systemId: "a" });
    await node.process({ payload: null, siteId: "S1", energy: { kind: "latest-value", reason: "failed" } });
    await pass(16);
    assert.deepEqual(
      node.sentTo(UNSAFE).map(({ siteId }) => siteId),
      ["S0", "S1"],
    );
    await node.process({ payload: 90, siteId: "S1", systemId: "a" });
    await pass(16);
    assert.deepEqual(node.counts(), [2, 0, 3]);
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
    await start({ repeat: 5 });
    // What is due is sent once the flow is ready.
    assert.equal(clock.countTimers(), 1);
    await pass(1);
    assert.equal(clock.countTimers(), 1);
    await node.process({ payload: 70 });
    assert.equal(clock.countTimers(), 1);
    await node.redeploy();
    await node.process({ payload: 40 });
    await pass(1);
    assert.equal(clock.countTimers(), 1);
    await node.stop();
    assert.equal(clock.countTimers(), 0);
  });

  it("reports after maxAge that it never had a value, once, whatever fails meanwhile", async () => {
    await start({ maxAge: 15 });
    await pass(15);
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(0.01);
    const { _msgid, ...sent } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
    assert.deepEqual(sent, { payload: null, energy: { kind: "threshold", reason: "stale", value: null } });
    await node.process({ payload: null, siteId: "a", energy: { kind: "latest-value", reason: "failed" } });
    await pass(20);
    assert.deepEqual(node.counts(), [0, 0, 1]);
    assert.equal(node.statuses().at(-1), "stale: 15 min");
    await node.process({ payload: 70, siteId: "a" });
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("waits for the first value of a site that becomes known by a failure", async () => {
    const failed = { payload: null, energy: { kind: "latest-value", reason: "failed" } };
    await start({ maxAge: 15 });
    await pass(10);
    await node.process({ ...failed, siteId: "a" }, { ...failed, siteId: "b" });
    await pass(5.01);
    assert.deepEqual(
      node.sentTo(UNSAFE).map(({ siteId }) => siteId),
      ["a"],
    );
    await pass(10);
    assert.deepEqual(
      node.sentTo(UNSAFE).map(({ siteId }) => siteId),
      ["a", "b"],
    );
  });

  it("never reports silence if any age is allowed", async () => {
    await start({ maxAge: 0 });
    await pass(20);
    await node.process({ payload: 70 });
    await pass(200);
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("reports silence after maxAge although the clock is set back", async () => {
    await start({ maxAge: 15 });
    await node.process({ ...socRecord(70), payload: 40 });
    clock.setSystemTime(Date.now() - 600 * MINUTE);
    await pass(13.01);
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
    await pass(16);
    assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
    assert.deepEqual(node.counts(), [2, 0, 2]);
  });
});
