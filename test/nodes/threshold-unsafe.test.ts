// Tests for output 3 of threshold: a null, missing or stale value is reported once, with the reason, and switches nothing.
import assert from "node:assert/strict";
import sinon from "sinon";
import type { ThresholdMessage } from "../../src/messages/messages";
import { SOC, socRecord, startThreshold, type ThresholdNode, UNSAFE } from "../support/threshold-node";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

describe("threshold reports on output 3 that it is not safe to decide", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  for (const [name, message, reason] of [
    ["a value is null", { payload: null }, "no-value"],
    ["a value is absent", { topic: "t" }, "no-value"],
    [
      "latest value reports no value",
      { payload: null, energy: { kind: "latest-value", reason: "failed" } },
      "failed",
    ],
    ["a record is old", { payload: 70, energy: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
    ["a payload is an old record", { payload: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
  ] as const) {
    it(`when ${name}`, async () => {
      await start(name.startsWith("a payload") ? { property: "7", propertyType: "jsonata" } : {});
      await node.process({ ...message, other: 1 });
      assert.deepEqual(node.counts(), [0, 0, 1]);
      const [sent] = node.sentTo(UNSAFE) as (ThresholdMessage & { other: number })[];
      assert.equal(sent?.energy.reason, reason);
      assert.equal("value" in (sent?.energy ?? {}), true);
      assert.equal(sent?.other, 1);
    });
  }

  it("when the group of the value is null", async () => {
    await start(SOC);
    await node.process({ ...socRecord(1), payload: { storage: null } });
    assert.deepEqual(node.sentTo(UNSAFE)[0]?.energy, { kind: "threshold", reason: "no-value", value: null });
  });

  it("once, and again only after a safe value", async () => {
    await start();
    await node.process({ payload: null }, { payload: null }, { payload: 40 }, { payload: null });
    assert.deepEqual(node.counts(), [0, 0, 2]);
  });

  it("without changing sides", async () => {
    await start();
    await node.process({ payload: 70 }, { payload: null }, { payload: 70 }, { payload: 10 });
    assert.deepEqual(node.counts(), [1, 1, 1]);
  });
});
