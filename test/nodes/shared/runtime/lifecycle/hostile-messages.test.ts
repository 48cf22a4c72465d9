// Messages that would break what copies or prints them: each is refused with advice, and nothing else is affected.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { MAX_ID_LENGTH, MAX_PREFIX_LENGTH, MAX_SUBJECT_LENGTH } from "../../../../../src/limits";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { ODD_VALUES } from "../../../../support/odd-values";
import { startService, type TestService } from "../../../../support/service";

const odd = (name: keyof typeof ODD_VALUES): unknown => ODD_VALUES[name]?.();
const RECORD = { startTime: "2026-06-10T10:00:00Z", endTime: "2026-06-10T10:05:00Z", grid: { power: 12 } };
const GOOD = { payload: RECORD, siteId: "s1", energy: { kind: "telemetry", phase: "backlog" } };
const TOO_LONG = "s".repeat(256);

describe("hostile messages", () => {
  let service: TestService;
  let node: NodeUnderTest;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  afterEach(() => node.stop());

  const start = async (type: string, properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startNode(type, properties, { account: { baseUrl: service.baseUrl } });
  };
  const refusal = async (message: object): Promise<{ code: string; text: string }> => {
    node.input(message as NodeMessage);
    const { energy, error } = await node.caught();
    return { code: energy.error.code, text: error.message };
  };

  for (const type of ["energy-mqtt", "energy-points"])
    it(`are refused by ${type}, and the next message goes on`, async () => {
      await start(type);
      for (const name of ["nested 65 deep", "nested 2,500 deep", "arrays nested 100,000 deep", "circular"])
        for (const message of [
          { ...GOOD, payload: { ...RECORD, grid: odd(name) } },
          { ...GOOD, energy: { kind: "telemetry", basis: odd(name) } },
        ])
          assert.equal((await refusal(message)).code, "ENERGY_INPUT");
      node.input({ ...GOOD });
      await node.completed();
      assert.ok(node.sent().length > 0);
    });

  it("keep their good parts on the way to a catch node", async () => {
    await start("energy-points");
    node.input({ ...GOOD, topic: "kept", other: odd("nested 2,500 deep") });
    const caught = await node.caught<NodeMessage & { other?: unknown }>();
    assert.deepEqual([caught.topic, caught.payload, caught.other], ["kept", RECORD, undefined]);
    assert.equal(caught.error.message, "msg.other is nested more than 64 levels deep. Remove or flatten it.");
  });

  it("may hold anything in what a node replaces", async () => {
    await start("energy-site-info");
    node.input({ siteId: "demo-house", payload: odd("arrays nested 100,000 deep"), topic: "t" });
    await node.output();
    const completed = await node.completed();
    assert.ok(!("payload" in completed));
    assert.equal(completed["siteId"], "demo-house");
  });

  it("end in an error with a code even if they are frozen, or shadow built-in properties", async () => {
    await start("energy-mqtt");
    for (const message of [
      Object.freeze({ payload: "none" }),
      JSON.parse('{"__proto__": null, "hasOwnProperty": 1, "payload": "none"}') as object,
      Object.assign(Object.create(null) as object, { payload: "none" }),
      { payload: "none", error: Object.freeze({ source: Object.freeze({ id: "x", count: 1n }) }) },
      { payload: "none", error: { hasOwnProperty: 1 } },
      new Proxy({ payload: "none" }, {}),
    ])
      assert.equal((await refusal(message)).code, "ENERGY_INPUT");
  });

  it("end in an error even if they cannot be read at all", async () => {
    await start("energy-points");
    const ownKeys = (): never => {
      throw new Error("not readable");
    };
    assert.equal((await refusal(new Proxy({}, { ownKeys }))).code, "ENERGY_INTERNAL");
  });

  it("keep an earlier error, which Node-RED moves aside", async () => {
    await start("energy-points");
    const earlier = Object.assign(new Error("earlier"), { source: { id: "x", count: 1 } });
    node.input({ payload: "none", error: earlier });
    const { _error: moved } = await node.caught<{ _error?: Error }>();
    assert.equal(moved?.message, "earlier");
  });

  it("only let time run at a threshold, as any other message without a value does", async () => {
    await start("energy-threshold", { high: 20, low: 10 });
    node.input({ payload: 25, topic: "t" });
    await node.output(1);
    const { code } = await refusal({ payload: 26, topic: "t", other: odd("nested 2,500 deep") });
    assert.equal(code, "ENERGY_INPUT");
    assert.deepEqual(node.sent(3), []);
    node.input({ payload: 5, topic: "t" });
    await node.output(2);
  });

  it("do not keep a node waiting for a value that never settles", async () => {
    await start("energy-threshold", { high: 20, low: 10 });
    node.input({ payload: odd("never settles"), topic: "t" });
    node.input({ payload: 25, topic: "t" });
    await node.output(1);
  });

  const takers: [type: string, properties: object, message: object][] = [
    ["energy-site-info", {}, {}],
    ["energy-telemetry-poll", {}, {}],
    ["energy-latest-value", {}, {}],
    ["energy-rgm-read", {}, {}],
    ["energy-alerts", { scope: "site" }, {}],
    ["energy-history", {}, { payload: { day: "2026-03-01" } }],
    ["energy-threshold", { high: 20, low: 10 }, { payload: 5 }],
    ["energy-mqtt", {}, { payload: RECORD }],
    ["energy-points", {}, { payload: RECORD }],
  ];
  for (const [type, properties, message] of takers)
    it(`have valid ids for ${type}`, async () => {
      await start(type, { ...properties });
      const hasSystem = !["energy-site-info", "energy-alerts"].includes(type);
      for (const id of [TOO_LONG, "s".repeat(70_000), "s1\n[error] forged", "s\u0000", "s\uD83D"])
        for (const ids of [{ siteId: id }, ...(hasSystem ? [{ siteId: "s1", systemId: id }] : [])]) {
          const { code, text } = await refusal({ ...message, ...ids });
          assert.equal(code, "ENERGY_INPUT");
          assert.doesNotMatch(text, /forged|sssss/);
        }
    });

  it("have a topic of bounded length for a threshold", async () => {
    await start("energy-threshold", { high: 20, low: 10 });
    node.input({ payload: 25, topic: "t".repeat(MAX_SUBJECT_LENGTH) });
    await node.output(1);
    const { code } = await refusal({ payload: 25, topic: "t".repeat(MAX_SUBJECT_LENGTH + 1) });
    assert.equal(code, "ENERGY_INPUT");
  });

  it("publish no topic that MQTT does not allow, and no name that breaks a line", async () => {
    const names = {
      ["g".repeat(70_000)]: { power: 1 },
      "a\nb": { power: 2 },
      grid: { ["f".repeat(70_000)]: 3, power: 4 },
    };
    const payload = { startTime: RECORD.startTime, endTime: RECORD.endTime, ...names };
    await start("energy-mqtt", { layout: "values", discovery: false });
    node.input({ ...GOOD, payload });
    await node.completed();
    assert.deepEqual(
      node.sent().map(({ topic }) => topic),
      ["energy/s1/site/backlog/grid/power"],
    );
    await node.stop();
    await start("energy-points", { target: "influxdb" });
    node.input({ ...GOOD, payload });
    const { payload: points } = await node.output<{ payload: [{ fields: object }] }>();
    assert.deepEqual(points[0].fields, { grid_power: 4 });
  });

  it("are published under topics that MQTT allows, however long prefix, ids and names are", async () => {
    const id = "€".repeat(MAX_ID_LENGTH);
    await start("energy-mqtt", { layout: "values", prefix: "€".repeat(MAX_PREFIX_LENGTH) });
    node.input({ ...GOOD, siteId: id, systemId: id, payload: { ...RECORD, [id]: { [id]: 1 } } });
    await node.completed();
    const lengths = node.sent().map(({ topic }) => Buffer.byteLength(String(topic)));
    assert.ok(lengths.length > 3 && lengths.every((length) => length <= 65_535), lengths.join());
  });

  it("with a start long ago are refused before any request", async () => {
    const requests = service.requests.length;
    await start("energy-telemetry-poll", { siteId: "demo-house", store: "none" });
    for (const startTime of ["0001-01-01T00:00:00Z", new Date(0)]) {
      const { code, text } = await refusal({ startTime });
      assert.equal(code, "ENERGY_RANGE");
      assert.match(text, /more than 400 requests.*history/);
    }
    assert.equal(service.requests.length, requests);
  });
});
