// Tests that what a message makes mqtt readings and points send is bounded, and sent without holding the event loop.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeMessage } from "node-red";
import type { MqttMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { TurnWatch } from "../../support/cpu-time";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { isConfig } from "../../support/mqtt-home";
import { type MqttNode, startMqtt } from "../../support/mqtt-node";
import { atSlowPace } from "../../support/passing-time";

const { hooks } = createRequire(require.resolve("node-red"))("@node-red/util") as {
  hooks: {
    add(name: string, hook: (events: { source: { id: string }; msg: MqttMessage }[]) => unknown): void;
    remove(name: string): void;
  };
};

/** Milliseconds, far above 50, because collecting garbage is work, too: what is sent takes longer at once. */
const GENEROUS = 400;
/** Milliseconds for what is refused or sends little, and is read in one turn: quadratic work takes longer. */
const READ_ONCE = 1000;
const END = Date.UTC(2026, 5, 10);

/** Past records with 30 numbers each. */
function records(
  count: number,
  groups = ["grid", "solar", "storage", "consumption", "inverter"],
): NodeMessage {
  const fields = { power: 1, energy: 2, a: 3, b: 4, c: 5, d: 6 };
  const values = Object.fromEntries(groups.map((group) => [group, fields]));
  const payload = Array.from({ length: count }, (_, index) => ({
    startTime: new Date(END + index * 1000).toISOString(),
    endTime: new Date(END + (index + 1) * 1000).toISOString(),
    ...values,
  }));
  return { payload, siteId: "home", systemId: "a", energy: { kind: "history", phase: "backfill" } };
}

/** A record so many times: quickly made, and quickly copied for a catch node. */
function tooMany(count: number, groups?: string[]): NodeMessage {
  const message = records(1, groups);
  return { ...message, payload: Array.from({ length: count }, () => first(message)) };
}

const first = ({ payload }: NodeMessage): object => (payload as object[])[0] ?? assert.fail();

/** The longest time in which nothing else could run. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const watch = new TurnWatch();
  await work();
  watch.stop();
  return watch.longest();
}

const configs = (messages: MqttMessage[]): number => messages.filter(isConfig).length;

/** What the node sends, which takes half as long if nothing of it is delivered. */
async function sentBy(work: () => Promise<unknown>): Promise<MqttMessage[]> {
  const sent: MqttMessage[] = [];
  hooks.add("onSend.bounds", (events) => {
    if (events[0]?.source.id !== "node-under-test") return undefined;
    for (const { msg } of events) sent.push(msg);
    return false;
  });
  await work();
  hooks.remove("onSend.bounds");
  return sent;
}

describe("bounds of what one message makes", () => {
  let node: MqttNode;

  afterEach(() => node.stop());

  it("are 20,000 MQTT messages, whatever the layout: more are an error, and none is sent; fewer leave the event loop free in between", async () => {
    node = await startMqtt({ discovery: false, layout: "values" });
    const rejected = await node.rejection(tooMany(667));
    assert.deepEqual([rejected.code, rejected.sent], ["ENERGY_INPUT", 0]);
    assert.match(rejected.message, /20,?000|20000/);
    const message = records(666);
    const sent = await sentBy(async () =>
      assert.ok((await longestTurn(() => node.process(message))) < GENEROUS),
    );
    assert.equal(sent.length, 19_980);
    await node.stop();
    node = await startMqtt({ discovery: false });
    assert.equal((await node.rejection(tooMany(20_001, []))).sent, 0);
    // What is no record makes no message, and takes its time.
    const odd = tooMany(1, []);
    (odd.payload as unknown[]).push(...Array.from({ length: 20_000 }, () => 0));
    assert.equal((await node.rejection(odd)).sent, 0);
    assert.equal((await node.process(records(200))).length, 200);
  });

  it("do not count in confirmed delivery, which would repeat the message for ever: all are sent, in turns", async () => {
    node = await startMqtt({ layout: "values", retain: true });
    const message = { ...records(667), energy: { kind: "telemetry", phase: "catchup", delivery: "d" } };
    const sent = await sentBy(async () =>
      assert.ok((await longestTurn(() => node.process(message))) < GENEROUS),
    );
    const readings = sent.filter(({ topic }) => topic.includes("/backlog/"));
    assert.equal(readings.length, 20_010);
    assert.deepEqual(
      sent.filter(({ energy }) => "delivery" in energy),
      sent.slice(-1),
    );
  });

  const wide = (fields: number): object =>
    Object.fromEntries(Array.from({ length: fields }, (_, index) => [`f${index}`, index]));
  for (const [name, payload] of Object.entries({
    "as 3,400 records": () => records(3_400).payload,
    "in one group": () => ({ ...first(records(1)), grid: wide(100_000) }),
    "in one record": () => ({
      ...first(records(1)),
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`g${index}`, wide(3_400)])),
    }),
    "as a list": () => Array.from({ length: 100_000 }, (_, index) => index),
  }))
    it(`leave the event loop free, also for 100,000 numbers ${name}`, async () => {
      node = await startMqtt({ layout: "values" });
      const message = { ...records(1), payload: payload() };
      let code: string | undefined;
      const longest = await longestTurn(async () => ({ code } = await node.rejection(message)));
      assert.equal(code, "ENERGY_INPUT");
      assert.ok(longest < READ_ONCE, String(longest));
    });

  it("are 20,000 alerts and devices", async () => {
    node = await startMqtt();
    const list = (alerts: object[], energy: object[]): NodeMessage => ({
      payload: alerts,
      energy: { kind: "alerts", alerts: energy },
    });
    const info = (devices: object[]): NodeMessage => ({
      payload: { siteId: "home", devices },
      energy: { kind: "site-info" },
      siteId: "home",
    });
    const all = (one: object): object[] => Array.from({ length: 20_001 }, () => one);
    const alerts = all({ id: 1, siteId: "s1", severity: "LOW" });
    assert.equal((await node.rejection(list(alerts, all({ alertKey: "1" })))).code, "ENERGY_INPUT");
    const devices = all({ deviceId: "d1", stateOfCharge: 5 });
    assert.equal((await node.rejection(info(devices))).code, "ENERGY_INPUT");
    const ids = Array.from({ length: 100 }, (_, id) => id);
    const different = list(
      ids.map((id) => ({ id, siteId: `s${id}`, severity: "LOW" })),
      ids.map((id) => ({ alertKey: `${id}` })),
    );
    const batteries = info(ids.map((id) => ({ deviceId: `d${id}`, stateOfCharge: 5 })));
    for (const message of [different, batteries]) {
      const before = node.sent().length;
      const firstSent = await atSlowPace(async () => {
        node.input(message);
        while (node.sent().length === before) await nextTurn();
        const { length } = node.sent();
        await node.completed();
        return length - before;
      });
      assert.ok(firstSent < ids.length / 2, String(firstSent));
      assert.equal(configs(node.newMessages()), ids.length);
    }
  });

  it("leave nothing to be sent once the node is removed while it reads a message: its devices stay offline", async () => {
    node = await startMqtt();
    const ended = new Date(Date.now() - MINUTE).toISOString();
    const began = new Date(Date.now() - 6 * MINUTE).toISOString();
    const live = { startTime: began, endTime: ended, grid: { power: 1 } };
    const payload = Array.from({ length: 50 }, () => live);
    const energy = { kind: "telemetry", records: payload.map(() => ({ phase: "live" })) };
    await node.process({ ...records(1), payload: live, energy: { kind: "telemetry", phase: "live" } });
    await atSlowPace(async () => {
      node.input({ ...records(1), systemId: "other", payload, energy });
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      await node.remove();
    });
    assert.equal(node.newMessages().at(-1)?.payload, "ON");
  });

  it("hold for a birth of Home Assistant, however many devices there are", async () => {
    node = await startMqtt();
    const systems = Array.from({ length: 25 }, (_, index) => ({ systemId: `s${index}` }));
    for (const { systemId } of systems)
      await node.process({
        ...records(1),
        systemId,
        payload: {
          startTime: new Date(Date.now() - 6 * MINUTE).toISOString(),
          endTime: new Date(Date.now() - MINUTE).toISOString(),
          grid: { power: 1 },
        },
        energy: { kind: "telemetry", phase: "live" },
      });
    const birth = { topic: "homeassistant/status", payload: "online" };
    let answered: MqttMessage[] = [];
    assert.ok((await longestTurn(async () => (answered = await node.process(birth)))) < READ_ONCE);
    assert.equal(configs(answered), 1 + systems.length);
    // Any client of the broker can repeat it.
    for (let time = 0; time < 5; time++) assert.equal(configs(await node.process(birth)), 0);
  });
});

describe("bounds of threshold", () => {
  it("are 20,000 records, of which the newest counts", async () => {
    const node = await startNode(
      "energy-threshold",
      { high: 9, low: 1, property: "payload.grid.power", maxAge: "0" },
      { account: null },
    );
    const batch = (message: NodeMessage): NodeMessage => {
      const live = { phase: "live" };
      return {
        ...message,
        energy: { kind: "telemetry", records: (message.payload as object[]).map(() => live) },
      };
    };
    node.input(batch(tooMany(20_001, ["grid"])));
    assert.match((await node.caught()).error.message, /20001/);
    const newest = (records(2, ["grid"]).payload as object[]).slice(1);
    const older = tooMany(19_999, ["grid"]).payload as object[];
    const message = batch({ ...records(1), payload: [...older, ...newest] });
    const longest = await longestTurn(async () => {
      node.input(message);
      await node.output(2);
    });
    assert.ok(longest < READ_ONCE, String(longest));
    await node.stop();
  });
});

describe("bounds of points", () => {
  let node: NodeUnderTest;

  afterEach(() => node.stop());

  // Points of a chart have one value each; all other targets have as many as there are records.
  for (const [target, tooLong] of [
    ["row", () => tooMany(20_001, ["grid"])],
    ["chart", () => tooMany(667)],
  ] as const)
    it(`are 20,000 (${target})`, async () => {
      node = await startNode("energy-points", { target }, { account: null });
      node.input(tooLong());
      const { error, energy } = await node.caught();
      assert.equal(energy.error.code, "ENERGY_INPUT");
      assert.match(error.message, /20001|20,?010/);
    });

  it("are made while others run", async () => {
    node = await startNode("energy-points", { target: "chart" }, { account: null });
    let turns = 0;
    await atSlowPace(async () => {
      node.input(tooMany(666));
      while (node.completedSoFar().length === 0) {
        await nextTurn();
        turns += 1;
      }
    });
    assert.ok(turns > 50, String(turns));
    assert.equal((await node.output<{ payload: object[] }>()).payload.length, 19_980);
  });
});
