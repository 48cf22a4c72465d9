// Promises of threshold: an edge once, over restarts too; never by backlog, by null or by what is old; silence is told.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sinon from "sinon";
import type { ThresholdMessage } from "../../src/messages";
import { type NodeOptions, type NodeUnderTest, startNode } from "../support/flow";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 5, 10, 10, 7);
const HIGH = 1;
const LOW = 2;
const UNSAFE = 3;

describe("threshold", () => {
  let clock: sinon.SinonFakeTimers;
  let node: NodeUnderTest;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (
    properties: Record<string, unknown> = {},
    options: NodeOptions = {},
  ): Promise<void> => {
    node = await startNode(
      "energy-threshold",
      { high: 60, low: 20, ...properties },
      { account: null, ...options },
    );
  };
  /** Hands over messages, each once the one before is done. */
  const take = async (...messages: Record<string, unknown>[]): Promise<void> => {
    for (const message of messages) {
      node.input(message);
      await node.completed();
    }
  };
  const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE).toISOString();
  const sent = (port: number): ThresholdMessage[] => node.sent<ThresholdMessage>(port);
  const counts = (): number[] => [HIGH, LOW, UNSAFE].map((port) => sent(port).length);
  /** A record as a poll sends it. */
  const record = (stateOfCharge: number | null, phase = "live", minutes = 2): Record<string, unknown> => ({
    payload: { startTime: ago(minutes + 5), endTime: ago(minutes), storage: { stateOfCharge } },
    energy: { kind: "telemetry", phase, startTime: ago(minutes + 5), endTime: ago(minutes) },
    siteId: "demo-house",
    topic: "demo-house",
  });
  const SOC = { property: "payload.storage.stateOfCharge" };

  it("sends what came on with the edge: rising on output 1, falling on output 2", async () => {
    await start();
    await take({ payload: 40 }, { payload: 61, topic: "soc", other: [1] });
    const [risen] = sent(HIGH) as (ThresholdMessage & { other: number[] })[];
    assert.deepEqual(risen?.energy, { kind: "threshold", edge: "high", value: 61 });
    assert.deepEqual([risen?.payload, risen?.topic, risen?.other], [61, "soc", [1]]);
    await take({ payload: 12, topic: "soc" });
    assert.deepEqual(sent(LOW)[0]?.energy, { kind: "threshold", edge: "low", value: 12 });
    assert.deepEqual(counts(), [1, 1, 0]);
  });

  it("repeats no edge between the limits or beyond the same one", async () => {
    await start();
    await take(...[70, 40, 65, 21, 60, 99].map((payload) => ({ payload })));
    assert.deepEqual(counts(), [1, 0, 0]);
    assert.equal(node.statuses().at(-1), "high · 99");
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
      await take({ payload: "text", deep: { value: 71 } });
      assert.equal(sent(HIGH)[0]?.energy.value, 71);
      assert.equal(sent(HIGH)[0]?.payload, "text");
    });
  }

  it("takes an expression that reckons with null for no value", async () => {
    await start({ property: "payload.kept / 1000", propertyType: "jsonata" });
    await take({ payload: { kept: 70_000 } }, { payload: { kept: null } });
    assert.deepEqual(counts(), [1, 0, 1]);
  });

  it("decides by live records, and lets backlog pass without a word", async () => {
    await start(SOC);
    for (const phase of ["catchup", "late", "revised", "something-new"]) await take(record(70, phase));
    assert.deepEqual(counts(), [0, 0, 0]);
    await take(record(71));
    assert.equal(sent(HIGH)[0]?.energy.value, 71);
  });

  it("decides by the newest live record of an array", async () => {
    await start(SOC);
    const records = [
      record(70, "late", 12),
      record(30, "live", 7),
      record(10, "live", 2),
      record(90, "revised", 9),
    ];
    const batch = (some: typeof records): Record<string, unknown> => ({
      payload: some.map(({ payload }) => payload),
      energy: { kind: "telemetry", records: some.map(({ energy }) => energy) },
    });
    await take(batch([records[0] ?? {}]));
    assert.deepEqual(counts(), [0, 0, 0]);
    await take(batch(records));
    assert.deepEqual(counts(), [0, 1, 0]);
    assert.equal(sent(LOW)[0]?.energy.value, 10);
    assert.deepEqual(sent(LOW)[0]?.payload, batch(records)["payload"]);
  });

  it("decides for each site and system by itself, and for other messages by topic", async () => {
    await start();
    await take(
      { payload: 70, siteId: "a", systemId: "1", topic: "x" },
      { payload: 10, siteId: "a", systemId: "2", topic: "x" },
      { payload: 10, siteId: "b", topic: "x" },
      { payload: 70, topic: "x" },
      { payload: 71, topic: "y" },
      { payload: 71, siteId: "a", systemId: "1", topic: "renamed" },
    );
    assert.deepEqual(counts(), [3, 2, 0]);
  });

  describe("says on output 3 that it is not safe to decide", () => {
    for (const [name, message, reason] of [
      ["a value is null", { payload: null }, "no-value"],
      ["a value is absent", { topic: "t" }, "no-value"],
      [
        "latest value has none",
        { payload: null, energy: { kind: "latest-value", reason: "failed" } },
        "failed",
      ],
      ["a record is old", { payload: 70, energy: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
      ["a payload is an old record", { payload: { endTime: "2026-06-10T09:51:00Z" } }, "stale"],
    ] as const) {
      it(`when ${name}`, async () => {
        await start(name.startsWith("a payload") ? { property: "7", propertyType: "jsonata" } : {});
        await take({ ...message, other: 1 });
        assert.deepEqual(counts(), [0, 0, 1]);
        const [told] = sent(UNSAFE) as (ThresholdMessage & { other: number })[];
        assert.equal(told?.energy.reason, reason);
        assert.equal("value" in (told?.energy ?? {}), true);
        assert.equal(told?.other, 1);
      });
    }

    it("when a group on the way to the value is null", async () => {
      await start(SOC);
      await take({ ...record(1), payload: { storage: null } });
      assert.deepEqual(sent(UNSAFE)[0]?.energy, { kind: "threshold", reason: "no-value", value: null });
    });

    it("once, and again only after it has been safe", async () => {
      await start();
      await take({ payload: null }, { payload: null }, { payload: 40 }, { payload: null });
      assert.deepEqual(counts(), [0, 0, 2]);
    });

    it("and keeps the side meanwhile", async () => {
      await start();
      await take({ payload: 70 }, { payload: null }, { payload: 70 }, { payload: 10 });
      assert.deepEqual(counts(), [1, 1, 1]);
    });
  });

  describe("by time alone", () => {
    /** Minutes that last so many milliseconds of the test. */
    const milliseconds = (count: number): number => count / MINUTE;

    beforeEach(() => clock.restore());

    it("says on output 3 that data has stopped, and about what", async () => {
      await start({ maxAge: milliseconds(60) });
      await take({ payload: 70, topic: "a/b", siteId: "a", systemId: "b", other: 1 });
      const { _msgid, ...told } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
      assert.deepEqual(told, {
        payload: null,
        topic: "a/b",
        siteId: "a",
        systemId: "b",
        energy: { kind: "threshold", reason: "stale", value: null },
      });
      assert.deepEqual(counts(), [1, 0, 1]);
    });

    it("sends the edge of a value that stays, with the message that brought it last", async () => {
      await start({ hold: milliseconds(60) });
      await take({ payload: 70, other: 1 }, { payload: 71, other: 2 });
      assert.deepEqual(counts(), [0, 0, 0]);
      const told = await node.output<ThresholdMessage & { other: number }>(HIGH);
      assert.deepEqual([told.payload, told.other, told.energy.value], [71, 2, 71]);
    });

    it("sends no edge of a value that comes back in time", async () => {
      await start({ hold: milliseconds(40) });
      await take({ payload: 70 }, { payload: 40 });
      await new Promise((resolve) => setTimeout(resolve, 80));
      assert.deepEqual(counts(), [0, 0, 0]);
    });

    it("leaves no timer behind when it is closed", async () => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
      await start();
      const before = timers();
      await take({ payload: 40 });
      assert.equal(timers(), before + 1);
      await node.redeploy({ name: "renamed" });
      await take({ payload: 40 });
      assert.equal(timers(), before + 1);
      await node.redeploy({ property: "other" });
      assert.equal(timers(), before);
    });

    it("says after a restart that data has stopped meanwhile", async () => {
      await start({ maxAge: milliseconds(60) });
      await take({ payload: 40 });
      await node.redeploy();
      assert.equal((await node.output<ThresholdMessage>(UNSAFE)).energy.reason, "stale");
    });
  });

  describe("over a restart", () => {
    it("repeats no edge and invents none, and goes on from the side that it was on", async () => {
      await start();
      await take({ payload: 70 });
      await node.redeploy({ name: "renamed" });
      await take({ payload: 75 }, { payload: 40 });
      assert.deepEqual(counts(), [1, 0, 0]);
      await take({ payload: 10 });
      assert.deepEqual(counts(), [1, 1, 0]);
    });

    it("does not say again that it is not safe", async () => {
      await start();
      await take({ payload: null });
      await node.redeploy();
      await take({ payload: null });
      assert.deepEqual(counts(), [0, 0, 1]);
    });

    it("starts anew when it looks at something else", async () => {
      await start();
      await take({ payload: 70 });
      await node.redeploy({ property: "other" });
      await take({ other: 70 });
      assert.deepEqual(counts(), [2, 0, 0]);
    });

    it("starts anew by a damaged file, which it keeps", async () => {
      await start();
      await take({ payload: 70 });
      const folder = join(node.userDir, "energy-sites");
      const [file = ""] = await readdir(folder);
      assert.match(await readFile(join(folder, file), "utf8"), /"side":"high"/);
      await node.redeploy({ high: 61 });
      await writeFile(join(folder, file), '{"state":[7]}');
      await node.redeploy({ high: 60 });
      await take({ payload: 70 });
      assert.deepEqual(counts(), [2, 0, 0]);
      assert.equal((await readdir(folder)).length, 2);
    });
  });

  describe("refuses", () => {
    for (const [name, properties, message, text] of [
      ["text", {}, { payload: "70" }, /must be a number, not a text/],
      ["an object", {}, { payload: { a: 1 } }, /not an object/],
      ["true", {}, { payload: true }, /not a boolean/],
      ["NaN", {}, { payload: Number.NaN }, /not NaN/],
      ["low above high", { low: 61 }, { payload: 70 }, /Low must be below High/],
      ["low that is high", { low: 60 }, { payload: 70 }, /Low must be below High/],
      ["high that is missing", { high: "" }, { payload: 70 }, /High must be a number/],
      ["low that is text", { low: "few" }, { payload: 70 }, /Low must be a number/],
      ["a negative hold", { hold: -1 }, { payload: 70 }, /Hold \(minutes\) must be a number from 0 on/],
      [
        "an expression that cannot be read",
        { property: "(", propertyType: "jsonata" },
        {},
        /jsonata \( cannot/,
      ],
    ] as const) {
      it(`${name} with ENERGY_INPUT, and sends nothing`, async () => {
        await start(properties);
        node.input(message);
        const told = await node.caught();
        assert.match(told.error.message, text);
        assert.equal(told.error.code, "ENERGY_INPUT");
        assert.equal(told.energy.error.code, "ENERGY_INPUT");
        assert.deepEqual(counts(), [0, 0, 0]);
        assert.equal(node.statuses().at(-1), "bad input");
      });
    }

    it("text without losing the side, and without calling it unsafe", async () => {
      await start();
      await take({ payload: 70 });
      node.input({ payload: "?" });
      await node.caught();
      await take({ payload: 71 });
      assert.deepEqual(counts(), [1, 0, 0]);
    });
  });

  it("takes limits that the flow file holds as text", async () => {
    await start({ high: "60", low: "-20.5" });
    await take({ payload: -20.5 }, { payload: 60 });
    assert.deepEqual(counts(), [1, 1, 0]);
  });
});
