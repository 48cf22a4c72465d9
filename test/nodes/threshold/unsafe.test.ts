// Tests for output 3 of threshold: a null, missing or stale value is reported once, with the reason, and switches nothing.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { ThresholdMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { usePassingTime } from "../../support/passing-time";
import { SOC, socRecord, startThreshold, type ThresholdNode, UNSAFE } from "../../support/threshold-node";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

describe("threshold reports on output 3 that it is not safe to decide", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;

  beforeEach(() => {
    clock = usePassingTime(NOW);
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
    ["a value is text that is no number", { payload: "57 %" }, "no-value"],
    ["a value is an object", { payload: { a: 1 } }, "no-value"],
    ["a value is true", { payload: true }, "no-value"],
    ["a value is NaN", { payload: Number.NaN }, "no-value"],
    ["a value is not plausible", { payload: 255 }, "implausible"],
    [
      "latest value reports no value",
      { payload: null, energy: { kind: "latest-value", reason: "implausible" } },
      "implausible",
    ],
    [
      "latest value gives a reason that this version does not know",
      { payload: null, energy: { kind: "latest-value", reason: "odd" } },
      "no-value",
    ],
    ["a meter has no record yet", { payload: null, energy: { kind: "rgm", hasRgm: true } }, "no-value"],
    ["a record is old", { payload: 70, energy: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
    ["a payload is an old record", { payload: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
  ] as const) {
    it(`when ${name}`, async () => {
      const property = name.startsWith("a payload") ? { property: "7", propertyType: "jsonata" } : {};
      await start({ max: 100, ...property });
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

  it("and ends with the edge that is true afterwards", async () => {
    await start();
    await node.process({ payload: 70 }, { payload: null }, { payload: 70 });
    assert.deepEqual(node.counts(), [2, 0, 1]);
    await node.process({ payload: null }, { payload: 40 }, { payload: 10 });
    assert.deepEqual(node.counts(), [2, 1, 2]);
  });

  it("with the value that is not plausible", async () => {
    await start({ min: 0, max: 100 });
    await node.process({ payload: 255 });
    assert.deepEqual(node.sentTo(UNSAFE)[0]?.energy, {
      kind: "threshold",
      reason: "implausible",
      value: 255,
    });
    assert.equal(node.sentTo(UNSAFE)[0]?.payload, 255);
  });

  it("but not for a read that failed while the last value is fresh", async () => {
    await start(SOC);
    await node.process(socRecord(70, "live", 7));
    const subject = { siteId: "demo-house", topic: "demo-house" };
    for (const [reason, status] of [
      ["failed", "high, waiting for 20, 8 min old"],
      ["no-record", "high, waiting for 20, 8 min old"],
    ] as const) {
      clock.setSystemTime(NOW + MINUTE);
      await node.process({ ...subject, payload: null, energy: { kind: "latest-value", reason } });
      assert.equal(node.statuses().at(-1), status);
    }
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("but not for a first message that only says that the read failed", async () => {
    await start();
    await node.process({ payload: null, energy: { kind: "latest-value", reason: "failed" } });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    assert.equal(node.statuses().at(-1), "failed");
  });
});
