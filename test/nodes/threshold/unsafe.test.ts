// Tests for output 3 of threshold: a stale or implausible value is reported once, with the reason, and switches nothing.
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
    ["a value is not plausible", { payload: 255 }, "implausible"],
    [
      "latest value reports no value",
      { payload: null, energy: { kind: "latest-value", reason: "implausible" } },
      "implausible",
    ],
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

  for (const [name, message] of [
    ["a value is null", { payload: null }],
    ["a value is absent", { topic: "t" }],
    ["a value is text that is no number", { payload: "57 %" }],
    ["a value is an object", { payload: { a: 1 } }],
    ["a value is true", { payload: true }],
    ["a value is NaN", { payload: Number.NaN }],
    [
      "latest value gives a reason that this version does not know",
      { payload: null, energy: { kind: "latest-value", reason: "odd" } },
    ],
    ["a meter has no record yet", { payload: null, energy: { kind: "rgm", hasRgm: true } }],
  ] as const) {
    it(`but lets time run when ${name}`, async () => {
      await start();
      await node.process({ payload: 70, ...("topic" in message && { topic: "t" }) }, { ...message });
      assert.deepEqual(node.counts(), [1, 0, 0]);
      assert.equal(node.statuses().at(-1), "high, waiting for 20");
    });
  }

  it("but lets time run when the group of the value is null", async () => {
    await start(SOC);
    await node.process(socRecord(70, "live", 7), { ...socRecord(1), payload: { storage: null } });
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("when a percentage is above 100", async () => {
    await start(SOC);
    await node.process(socRecord(101));
    assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "implausible");
  });

  for (const [property, propertyType] of [
    ['payload.storage["stateOfCharge"]', "msg"],
    ["payload['storage'].stateOfCharge", "msg"],
    ["payload.storage.stateOfCharge", "jsonata"],
  ] as const) {
    it(`when a percentage is above 100 as ${property} of type ${propertyType}`, async () => {
      await start({ property, propertyType });
      await node.process(socRecord(101));
      assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "implausible");
    });
  }

  it("but not for what is calculated with a percentage", async () => {
    await start({ property: "200+payload.storage.stateOfCharge", propertyType: "jsonata" });
    await node.process(socRecord(50));
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  for (const path of ["storage.stateOfCharge", 'storage["stateOfCharge"]', "derived.selfUse"]) {
    it(`when the payload is the latest value of ${path}, and above 100`, async () => {
      await start();
      await node.process({
        payload: 101,
        energy: { kind: "latest-value", path, endTime: "2026-06-10T10:05:00Z" },
      });
      assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "implausible");
    });
  }

  it("when the payload comes from a broker, and its topic is that of a percentage", async () => {
    await start();
    const topic = "energy/demo-house/demo-house-1/live/storage";
    await node.process({ payload: "255", topic: `${topic}/stateOfCharge` });
    await node.process({ payload: "255", topic: `${topic}/power` });
    assert.deepEqual(node.counts(), [1, 0, 1]);
    assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "implausible");
  });

  it("but not for the totals of a period that still runs, which are as old as their last record", async () => {
    await start({ property: "payload.energy.solar", high: 5, low: 1 });
    const totals = (solar: number, minute: string): Record<string, unknown> => ({
      payload: { energy: { solar }, until: `2026-06-10T10:${minute}:00Z`, endTime: "2026-06-11T00:00:00Z" },
      energy: { kind: "totals", startTime: "2026-06-10T00:00:00Z", endTime: "2026-06-11T00:00:00Z" },
    });
    await node.process(totals(0.5, "00"), totals(9, "05"));
    assert.deepEqual(node.counts(), [1, 1, 0]);
  });

  const RUNNING = { startTime: "2026-06-10T00:00:00Z", endTime: "2026-06-11T00:00:00Z" };
  const OVER = { startTime: "2026-06-09T00:00:00Z", endTime: "2026-06-10T00:00:00Z" };

  it("nor for totals that a broker has sent, before they are too old", async () => {
    await start({ property: "payload.share.selfSufficiency" });
    const totals = (until: string): Record<string, unknown> => ({
      payload: { period: "today", ...RUNNING, until, share: { selfSufficiency: 92 } },
      topic: "energy/demo-house/demo-house-1/totals/today",
    });
    await node.process(totals("2026-06-10T10:05:00Z"));
    assert.deepEqual(node.counts(), [1, 0, 0]);
    clock.tick(16 * MINUTE);
    await node.process(totals("2026-06-10T10:06:00Z"));
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("nor for one number that a flow has taken from totals, but for those of a period that is over", async () => {
    await start();
    await node.process({ payload: 92, topic: "today", energy: { kind: "totals", ...RUNNING } });
    await node.process({ payload: 92, topic: "yesterday", energy: { kind: "totals", ...OVER } });
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("when a record has passed the time until which it is valid, to the second", async () => {
    await start();
    const times = { endTime: "2026-06-10T09:37:00Z", validUntil: "2026-06-10T10:07:00Z" };
    await node.process({ payload: 70, topic: "a", energy: times });
    const expired = { ...times, validUntil: "2026-06-10T10:06:59Z" };
    await node.process({ payload: 70, topic: "b", energy: expired });
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("but not for what the broker has kept, if it does not say when that was", async () => {
    await start();
    await node.process({ payload: 70, retain: true });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process({ payload: 70, retain: true, energy: { endTime: "2026-06-10T10:05:00Z" } });
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("when it forgets a subject", async () => {
    await start();
    const topics = ["first", ...Array.from({ length: 1001 }, (_, count) => String(count))];
    await node.process(...topics.map((topic) => ({ payload: 40, topic })));
    const reasons = node.sentTo(UNSAFE).map(({ topic, energy }) => [topic, energy.reason]);
    assert.deepEqual(reasons, [
      ["first", "stale"],
      ["0", "stale"],
    ]);
  });

  it("once, and again only after a safe value", async () => {
    await start({ max: 100 });
    await node.process({ payload: 255 }, { payload: 255 }, { payload: 40 }, { payload: 255 });
    assert.deepEqual(node.counts(), [0, 0, 2]);
  });

  it("and ends with the edge that is true afterwards", async () => {
    await start({ max: 100 });
    await node.process({ payload: 70 }, { payload: 255 }, { payload: 70 });
    assert.deepEqual(node.counts(), [2, 0, 1]);
    await node.process({ payload: 255 }, { payload: 40 }, { payload: 10 });
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
      ["failed", "high, waiting for 20"],
      ["no-record", "high, waiting for 20"],
    ] as const) {
      clock.setSystemTime(NOW + MINUTE);
      await node.process({ ...subject, payload: null, energy: { kind: "latest-value", reason } });
      assert.equal(node.statuses().at(-1), status);
    }
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("when the last record is too old, but not when one before it is, which a replica of the service shows", async () => {
    await start(SOC);
    await node.process(socRecord(70));
    const about = (minutes: number) => {
      const endTime = new Date(NOW - minutes * MINUTE).toISOString();
      const energy = { kind: "latest-value", reason: "stale", endTime };
      return { payload: null, siteId: "demo-house", topic: "demo-house", energy };
    };
    await node.process(about(20));
    assert.deepEqual(node.counts(), [1, 0, 0]);
    await node.process(about(2));
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("but not for a first message that only says that the read failed", async () => {
    await start();
    await node.process({ payload: null, energy: { kind: "latest-value", reason: "failed" } });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    assert.equal(node.statuses().at(-1), "failed");
  });
});
