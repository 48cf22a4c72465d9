// Tests for threshold: each edge once, with the incoming message, on live values only, separately for each site and system.
import assert from "node:assert/strict";
import { sharedClock } from "../../../src/clock";
import sinon from "sinon";
import type { ThresholdMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { eventually } from "../../support/eventually";
import { HIGH, LOW, SOC, socRecord, startThreshold, type ThresholdNode } from "../../support/threshold-node";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

describe("threshold", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date", "performance"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  it("sends the incoming message with the edge: rising on output 1, falling on output 2", async () => {
    await start();
    await node.process({ payload: 40 }, { payload: 61, topic: "soc", other: [1] });
    const [risen] = node.sentTo(HIGH) as (ThresholdMessage & { other: number[] })[];
    assert.deepEqual(risen?.energy, { kind: "threshold", edge: "high", value: 61 });
    assert.deepEqual([risen?.payload, risen?.topic, risen?.other], [61, "soc", [1]]);
    await node.process({ payload: 12, topic: "soc" });
    assert.deepEqual(node.sentTo(LOW)[0]?.energy, { kind: "threshold", edge: "low", value: 12 });
    assert.deepEqual(node.counts(), [1, 1, 0]);
  });

  it("repeats no edge between the limits or beyond the same limit", async () => {
    await start();
    await node.process(...[70, 40, 65, 21, 60, 99].map((payload) => ({ payload })));
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("shows the side and what it waits for", async () => {
    await start({ min: 0 });
    const shown: (string | undefined)[] = [];
    for (const payload of [40, 70, 40, 10, 40, -1, 40]) {
      // A node shows at most five statuses a second.
      clock.tick(1000);
      await node.process({ payload });
      shown.push(node.statuses().at(-1));
    }
    assert.deepEqual(shown, [
      "between, waiting for 20 or 60",
      "high, waiting for 20",
      "high, waiting for 20",
      "low, waiting for 60",
      "low, waiting for 60",
      "implausible value",
      "between, waiting for 20 or 60",
    ]);
  });

  it("shows when a value that must hold will count", async () => {
    await start({ hold: 5 });
    const at = new Date(NOW + 5 * 60_000).toTimeString().slice(0, 5);
    await node.process({ payload: 70 });
    assert.equal(node.statuses().at(-1), `between, high at ${at}`);
    await node.process({ payload: 10 });
    assert.equal(node.statuses().at(-1), `between, low at ${at}`);
    // By the times of their records, both have held.
    await node.process(
      { ...socRecord(70, "live", 8), payload: 70 },
      { ...socRecord(70, "live", 2), payload: 70 },
    );
    assert.equal(node.statuses().at(-1), "high, waiting for 20");
    await node.process({ payload: 10, siteId: "demo-house" });
    assert.equal(node.statuses().at(-1), `high, low at ${at}`);
  });

  it("reads text that is wholly a number, as mqtt in sends it", async () => {
    await start();
    await node.process({ payload: " 70.5 " }, { payload: "1e1" });
    assert.deepEqual(node.counts(), [1, 1, 0]);
    assert.equal(node.sentTo(HIGH)[0]?.energy.value, 70.5);
    assert.equal(node.sentTo(HIGH)[0]?.payload, " 70.5 ");
  });

  for (const [type, property] of [
    ["msg", "deep.value"],
    ["jsonata", "deep.value * 1"],
    ["flow", "battery"],
    ["global", "battery"],
  ] as const) {
    it(`reads the value from ${type}`, async () => {
      await start({ property, propertyType: type });
      if (type === "flow" || type === "global") node.setContext(type, "battery", 71);
      await node.process({ payload: "text", deep: { value: 71 } });
      assert.equal(node.sentTo(HIGH)[0]?.energy.value, 71);
      assert.equal(node.sentTo(HIGH)[0]?.payload, "text");
    });
  }

  it("treats an expression that calculates with null as no value", async () => {
    await start({ property: "payload.kept / 1000", propertyType: "jsonata" });
    await node.process({ payload: { kept: 70_000 } }, { payload: { kept: null } });
    assert.deepEqual(node.counts(), [1, 0, 0]);
    assert.equal(node.statuses().at(-1), "high, waiting for 20");
  });

  it("decides on live records, and ignores backlog", async () => {
    await start(SOC);
    for (const phase of ["catchup", "late", "revised", "something-new"])
      await node.process(socRecord(70, phase));
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process(socRecord(71));
    assert.equal(node.sentTo(HIGH)[0]?.energy.value, 71);
  });

  it("decides on the newest live record of an array", async () => {
    await start(SOC);
    const records = [
      socRecord(70, "late", 12),
      socRecord(30, "live", 7),
      socRecord(10, "live", 2),
      socRecord(90, "revised", 9),
    ];
    const batch = (some: typeof records): Record<string, unknown> => ({
      payload: some.map(({ payload }) => payload),
      energy: { kind: "telemetry", records: some.map(({ energy }) => energy) },
    });
    await node.process(batch([records[0] ?? {}]));
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process(batch(records));
    assert.deepEqual(node.counts(), [0, 1, 0]);
    assert.equal(node.sentTo(LOW)[0]?.energy.value, 10);
    assert.deepEqual(node.sentTo(LOW)[0]?.payload, batch(records)["payload"]);
    // Whatever their order.
    await node.process(batch([socRecord(65, "live", 1), socRecord(30, "live", 1.5)]));
    assert.equal(node.sentTo(HIGH)[0]?.energy.value, 65);
  });

  it("decides on the newest of an array that has readable times, confirms nothing, and fails", async () => {
    await start(SOC);
    const bad = { payload: { endTime: "soon", storage: { stateOfCharge: 70 } }, energy: { phase: "live" } };
    const records = [bad, socRecord(70, "live", 7), socRecord(10, "live", 2), bad];
    const infos = records.map(({ energy }) => energy);
    const payload = records.map((record) => record.payload);
    node.input({ payload, energy: { kind: "telemetry", delivery: "d", records: infos } });
    const { error, energy } = await node.caught();
    assert.match(error.message, /no valid startTime/);
    assert.equal(energy.error.code, "ENERGY_INPUT");
    assert.deepEqual(node.counts(), [0, 1, 0]);
    assert.deepEqual(node.sentTo(LOW)[0]?.energy, { kind: "threshold", edge: "low", value: 10 });
  });

  it("ignores backlog of a batch that a flow has split", async () => {
    await start(SOC);
    const records = [socRecord(10, "catchup", 62), socRecord(70, "live", 2)];
    const energy = { kind: "telemetry", records: records.map((record) => record["energy"]) };
    const split = records.map(({ payload }, index) => ({ payload, energy, parts: { index, count: 2 } }));
    await node.process(...split);
    assert.deepEqual(node.counts(), [1, 0, 0]);
    await node.redeploy({ property: "payload" });
    await node.process(...split.map((one, index) => ({ ...one, payload: [10, 70][index], topic: "values" })));
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("ignores a range of meter records, and decides on the latest one", async () => {
    await start({ property: "payload.rgm" });
    const { payload } = socRecord(0) as { payload: object };
    await node.process({ payload: [{ ...payload, rgm: 70 }], energy: { kind: "rgm", hasRgm: true } });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process({ payload: { ...payload, rgm: 70 }, energy: { kind: "rgm", hasRgm: true } });
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("ignores a record that is delivered again, even without a value", async () => {
    await start(SOC);
    await node.process(socRecord(70), socRecord(70), socRecord(null), socRecord(10, "live", 20));
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("decides separately for each site and system, and by topic for other messages", async () => {
    await start();
    await node.process(
      { payload: 70, siteId: "a", systemId: "1", topic: "x" },
      { payload: 10, siteId: "a", systemId: "2", topic: "x" },
      { payload: 10, siteId: "b", topic: "x" },
      { payload: 70, topic: "x" },
      { payload: 71, topic: "y" },
      { payload: 71, siteId: "a", systemId: "1", topic: "renamed" },
      { payload: 70, topic: 1 },
      { payload: 70, topic: 2 },
    );
    assert.deepEqual(node.counts(), [5, 2, 0]);
  });

  it("takes a message that names only the site for one about its only system, and no more where there are two", async () => {
    await start();
    const [a, b, site] = [{ siteId: "S1", systemId: "a" }, { siteId: "S1", systemId: "b" }, { siteId: "S1" }];
    await node.process({ ...a, payload: 70 }, { ...site, payload: 15 }, { ...a, payload: 71 });
    assert.deepEqual(node.counts(), [2, 1, 0]);
    await node.process({ ...b, payload: 70 }, { ...site, payload: 70 }, { ...a, payload: 72 });
    assert.deepEqual(node.counts(), [4, 1, 0]);
  });

  it("decides by topic where the ids of a site and system are empty", async () => {
    await start();
    await node.process(...["x", "y"].map((topic) => ({ payload: 70, topic, siteId: "", systemId: "" })));
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("sets its timer again only for what is due earlier: to look at all topics takes time if there are a thousand", async () => {
    const timers = sinon.spy(globalThis, "setTimeout");
    // Other timers are shorter than this, in which it looks at the clock.
    const looks = (): number => timers.args.filter(([, delay]) => delay === 5000).length;
    await start();
    await node.process({ payload: 40 });
    await eventually(
      () => "the node does not decide by time",
      async () => looks() > 0 || undefined,
    );
    const after = async (...messages: Record<string, unknown>[]): Promise<number> => {
      timers.resetHistory();
      await node.process(...messages);
      return looks();
    };
    const messages = Array.from({ length: 50 }, (_, topic) => ({ payload: 40, topic: String(topic) }));
    const validUntil = new Date(NOW + 5 * MINUTE).toISOString();
    const counts = [
      await after(...messages),
      await after(...messages),
      await after({ payload: 40, energy: { validUntil } }),
    ];
    timers.restore();
    assert.deepEqual(counts, [0, 0, 1]);
  });

  it("accepts limits stored as text", async () => {
    await start({ high: "60", low: "-20.5" });
    await node.process({ payload: -20.5 }, { payload: 60 });
    assert.deepEqual(node.counts(), [1, 1, 0]);
  });

  it("shows why it leaves out a record: it begins in the future, or no one knows what time it is", async () => {
    node = await startThreshold(SOC);
    await node.process(socRecord(70, "live", -10));
    assert.equal(node.statuses().at(-1), "1 ahead of the clock");
    const source = sharedClock.open();
    try {
      await node.process(socRecord(70));
      assert.equal(node.statuses().at(-1), "time not confirmed: nothing is fresh");
    } finally {
      source.close();
    }
    assert.deepEqual(node.counts(), [0, 0, 0]);
  });
});
