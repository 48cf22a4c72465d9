// Tests for the repetition of threshold: the present side is sent again, and nothing else.
import assert from "node:assert/strict";
import sinon from "sinon";
import type { ThresholdMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { temporaryFolder } from "../../support/temporary";
import { HIGH, startThreshold, type ThresholdNode } from "../../support/threshold-node";

type Sent = ThresholdMessage & { other?: { a: number }; req?: unknown };

describe("threshold repeats the present side", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;
  let userDir: string;

  beforeEach(async () => {
    clock = sinon.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    userDir = temporaryFolder();
    node = await startThreshold({ repeat: 5, maxAge: 15 }, { userDir });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const pass = (minutes: number): Promise<number> => clock.tickAsync(minutes * MINUTE);
  const lastHigh = (): Sent | undefined => node.sent<Sent>(HIGH).at(-1);

  it("with the last message and value, counted from when the side was sent", async () => {
    await pass(0.01);
    await node.process({ payload: 70, topic: "soc", other: { a: 1 }, req: { url: "/" } });
    assert.equal(lastHigh()?.energy.repeated, undefined);
    await pass(3);
    await node.process({ payload: 50, topic: "soc", other: { a: 2 }, req: { url: "/" } });
    await pass(1.99);
    assert.deepEqual(node.counts(), [1, 0, 0]);
    await pass(0.02);
    assert.deepEqual(node.counts(), [2, 0, 0]);
    const sent = lastHigh();
    assert.deepEqual(sent?.energy, { kind: "threshold", edge: "high", value: 50, repeated: true });
    assert.deepEqual([sent.payload, sent.topic, sent.other, sent.req], [50, "soc", { a: 2 }, undefined]);
    // A node that changes the message does not change the next one.
    if (sent.other) sent.other.a = 7;
    await pass(5);
    assert.deepEqual([node.counts(), lastHigh()?.other], [[3, 0, 0], { a: 2 }]);
  });

  it("with the message as it came, even if a node changed the one that a hold time had delayed", async () => {
    await node.redeploy({ repeat: 5, maxAge: 15, hold: 1 });
    await pass(0.01);
    await node.process({ payload: 70, other: { a: 1 } });
    await pass(1);
    const sent = lastHigh();
    assert.deepEqual([node.counts(), sent?.other], [[1, 0, 0], { a: 1 }]);
    if (sent?.other) sent.other.a = 7;
    await pass(5);
    assert.deepEqual([node.counts(), lastHigh()?.other], [[2, 0, 0], { a: 1 }]);
  });

  it("with the delivery id of the record only the first time", async () => {
    await pass(0.01);
    await node.process({ payload: 70, energy: { delivery: "d1" } });
    assert.deepEqual(lastHigh()?.energy, { kind: "threshold", edge: "high", value: 70, delivery: "d1" });
    await pass(5);
    assert.deepEqual(lastHigh()?.energy, { kind: "threshold", edge: "high", value: 70, repeated: true });
  });

  it("also if the message that decided cannot be copied: then with its value, topic and ids", async () => {
    class Headers extends Map<string, string> {
      constructor(source: { fields: [string, string][] }) {
        super(source.fields);
      }
    }
    node.input({ payload: 70, topic: "soc", headers: new Headers({ fields: [["a", "b"]] }) });
    await node.output(HIGH);
    await pass(5.01);
    assert.deepEqual(node.counts(), [2, 0, 0]);
    const { payload, topic, energy, other } = lastHigh() ?? assert.fail();
    assert.deepEqual([payload, topic, energy.repeated, other], [70, "soc", true, undefined]);
  });

  it("from the start after a restart, with the stored value", async () => {
    await node.process({ payload: 70, topic: "a/b", siteId: "a", systemId: "b" });
    await node.stop();
    await pass(1);
    node = await startThreshold({ repeat: 5, maxAge: 15 }, { userDir });
    // Triggers no decision, and is done once the stored state is loaded.
    await node.process({ energy: { phase: "catchup" } });
    await pass(4.99);
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(0.02);
    const { _msgid, ...sent } = (lastHigh() ?? {}) as Sent & { _msgid?: string };
    assert.deepEqual(sent, {
      payload: 70,
      topic: "a/b",
      siteId: "a",
      systemId: "b",
      energy: { kind: "threshold", edge: "high", value: 70, repeated: true },
    });
  });

  it("but neither while it is unsafe nor without a side", async () => {
    const stale = { payload: null, energy: { kind: "latest-value", reason: "stale" } };
    await node.process({ payload: 70 }, stale);
    await pass(10);
    await node.process({ payload: 40 });
    await pass(10);
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("with the message that decided, but for one that is large, and whatever came without a value", async () => {
    await node.process({ payload: 70, other: "kept" }, { payload: null });
    await pass(5);
    assert.equal((lastHigh() as unknown as { other?: string }).other, "kept");
    await node.process({ payload: 71, topic: "t", other: "x".repeat(2 ** 16) });
    await pass(5);
    const { _msgid, ...sent } = (lastHigh() ?? {}) as Sent & { _msgid?: string };
    const energy = { kind: "threshold", edge: "high", value: 71, repeated: true };
    assert.deepEqual(sent, { payload: 71, topic: "t", energy });
  });

  it("until its value is too old", async () => {
    await node.process({ payload: 10 });
    await pass(60);
    assert.deepEqual(node.counts(), [0, 4, 1]);
  });
});
