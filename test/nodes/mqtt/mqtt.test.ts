// Tests for mqtt readings with any MQTT consumer: topics, payloads, live and backlog, confirmation of whole records.
import assert from "node:assert/strict";
import sinon from "sinon";
import type { MqttMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { type MqttNode, recordAt, startMqtt, telemetry, topics } from "../../support/mqtt-node";

const NOW = Date.UTC(2026, 5, 10, 10, 7);
const END = NOW - 2 * MINUTE;

describe("mqtt readings", () => {
  let clock: sinon.SinonFakeTimers;
  let node: MqttNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startMqtt({ discovery: false, ...properties });
  };
  const pairs = (messages: MqttMessage[]): string[][] =>
    messages.map(({ topic, payload }) => [topic, payload]);

  describe("layout json", () => {
    it("sends one message for each record: the record as text, with QoS and retain for mqtt out", async () => {
      await start();
      const record = recordAt(END, { novelty: { deep: [1] } });
      const [message, ...others] = await node.process(telemetry(record));
      assert.equal(others.length, 0);
      assert.equal(message?.topic, "energy/home/a/live");
      assert.deepEqual(JSON.parse(message?.payload ?? ""), record);
      assert.deepEqual([message?.qos, message?.retain], [1, false]);
    });

    it("uses prefix, QoS and retain of the node, even if stored as text", async () => {
      await start({ prefix: "haus/strom", qos: "2", retain: true });
      const [message] = await node.process(telemetry(recordAt(END)));
      assert.deepEqual([message?.topic, message?.qos, message?.retain], ["haus/strom/home/a/live", 2, true]);
    });

    it("replaces ${NAME} in the prefix", async () => {
      const env = [{ name: "HOUSE", value: "house-7", type: "str" }];
      node = await startMqtt({ discovery: false, prefix: "energy/${HOUSE}" }, { env });
      assert.deepEqual(topics(await node.process(telemetry(recordAt(END)))), ["energy/house-7/home/a/live"]);
    });

    it("keeps other properties of the message, and shares nothing between messages", async () => {
      await start({ layout: "values" });
      const energy = { basis: { grid: "ac" } };
      const messages = await node.process(telemetry(recordAt(END), energy, { deep: { kept: [1] } }));
      const deep = messages.map((message) => (message as unknown as { deep: object }).deep);
      assert.deepEqual(deep[0], { kept: [1] });
      assert.equal(new Set(deep).size, messages.length);
      const bases = messages.map((message) => (message.energy as { basis?: object }).basis);
      assert.equal(new Set(bases).size, messages.length);
      assert.deepEqual([messages[0]?.siteId, messages[0]?.systemId], ["home", "a"]);
    });

    it("drops what mqtt out would obey", async () => {
      await start();
      const obeyed = { action: "disconnect", broker: { url: "other" }, responseTopic: "x", contentType: "y" };
      const [message] = await node.process(telemetry(recordAt(END), {}, { ...obeyed, note: "kept" }));
      assert.ok(message);
      assert.deepEqual(
        Object.keys(obeyed).filter((name) => name in message),
        [],
      );
      assert.equal((message as unknown as { note: string }).note, "kept");
    });

    it("sets the kind mqtt and keeps the properties of the record", async () => {
      await start();
      const [message] = await node.process(telemetry(recordAt(END), { basis: { grid: "ac" } }));
      assert.deepEqual(message?.energy, {
        kind: "mqtt",
        phase: "live",
        recordId: "id",
        cursor: "c",
        basis: { grid: "ac" },
      });
    });
  });

  describe("layout values", () => {
    it("sends a message for each number, unchanged, and nothing else", async () => {
      await start({ layout: "values" });
      const groups = {
        grid: { power: -0.25, energy: 0, connectivityStatus: "ON" },
        storage: { stateOfCharge: 55 },
      };
      const messages = await node.process(telemetry(recordAt(END, groups)));
      assert.deepEqual(pairs(messages), [
        ["energy/home/a/live/grid/power", "-0.25"],
        ["energy/home/a/live/grid/energy", "0"],
        ["energy/home/a/live/storage/stateOfCharge", "55"],
      ]);
    });

    it("publishes only numbers, or the end of a record that has none", async () => {
      await start({ layout: "values" });
      const groups = {
        grid: { power: null, novel: { deep: 1 }, list: [1], "": 5 },
        solar: null,
        storage: {},
      };
      const messages = await node.process(telemetry(recordAt(END, groups)));
      assert.deepEqual(topics(messages), ["energy/home/a/live/endTime"]);
    });

    it("publishes fields that this version does not know, under escaped names", async () => {
      await start({ layout: "values" });
      const messages = await node.process(telemetry(recordAt(END, { grid: {}, "heat/pump": { "p+": 3 } })));
      assert.deepEqual(pairs(messages)[0], ["energy/home/a/live/heat%2Fpump/p%2B", "3"]);
    });

    it("publishes every counter unchanged, even one that drops", async () => {
      await start({ layout: "values" });
      const counters: unknown[] = [];
      for (const [index, lifetimeImportedEnergy] of [5000, 0, 5001, 3, 4, 5].entries()) {
        const record = recordAt(END + index * MINUTE, { grid: { lifetimeImportedEnergy, power: 1 } });
        const messages = await node.process(telemetry(record));
        counters.push(messages.find(({ topic }) => topic.endsWith("lifetimeImportedEnergy"))?.payload);
        assert.ok(topics(messages).includes("energy/home/a/live/grid/power"));
      }
      assert.deepEqual(counters, ["5000", "0", "5001", "3", "4", "5"]);
    });

    it("publishes backlog unchanged", async () => {
      await start({ layout: "values" });
      const at = (minutes: number, lifetimeImportedEnergy: number): object =>
        recordAt(END + minutes * MINUTE, { grid: { lifetimeImportedEnergy } });
      await node.process(telemetry(at(0, 5000)));
      for (const value of [1, 2, 3, 9000]) {
        const [message] = await node.process(telemetry(at(1, value), { phase: "late" }));
        assert.deepEqual(
          [message?.topic, message?.payload],
          ["energy/home/a/backlog/grid/lifetimeImportedEnergy", String(value)],
        );
      }
      assert.equal((await node.process(telemetry(at(2, 5001))))[0]?.payload, "5001");
    });
  });

  describe("live and backlog", () => {
    for (const phase of ["catchup", "late", "revised", "a-new-phase"]) {
      it(`publishes ${phase} records as backlog`, async () => {
        await start();
        assert.deepEqual(topics(await node.process(telemetry(recordAt(END), { phase }))), [
          "energy/home/a/backlog",
        ]);
      });
    }

    it("publishes a live record that has expired as backlog, even with discovery off", async () => {
      await start({ expireAfter: 600 });
      for (const [age, topic] of [
        [11, "energy/home/a/backlog"],
        [9, "energy/home/a/live"],
        [-3, "energy/home/a/live"],
      ] as const) {
        const [message] = await node.process(telemetry(recordAt(NOW - age * MINUTE)));
        assert.deepEqual([message?.topic, message?.energy["phase"]], [topic, "live"]);
      }
    });

    it("leaves out a record that begins in the future, and says so, unless a node of this package sent it", async () => {
      await start();
      const record = recordAt(NOW + 30 * MINUTE);
      assert.deepEqual(await node.process({ payload: record, siteId: "home", systemId: "a" }), []);
      assert.equal(node.statuses().at(-1), "1 ahead of the clock");
      assert.deepEqual(topics(await node.process(telemetry(record))), ["energy/home/a/live"]);
    });

    it("uses the phase of each record in a batch", async () => {
      await start();
      const records = [{ phase: "catchup" }, { phase: "live" }];
      const batch = [recordAt(END - 5 * MINUTE), recordAt(END)];
      const messages = await node.process(telemetry(batch, { phase: undefined, records }));
      assert.deepEqual(topics(messages), ["energy/home/a/backlog", "energy/home/a/live"]);
      assert.deepEqual(
        messages.map(({ energy }) => energy),
        [
          { kind: "mqtt", phase: "catchup", recordId: "id", cursor: "c" },
          { kind: "mqtt", phase: "live", recordId: "id", cursor: "c" },
        ],
      );
    });

    it("treats the record of latest value as live, whatever its path", async () => {
      await start();
      const record = recordAt(END);
      for (const [path, payload] of [
        ["", record],
        ["grid.power", 120.5],
      ]) {
        const energy = { kind: "latest-value", path, record, endTime: record.endTime };
        const [message] = await node.process({ payload, siteId: "home", energy });
        assert.equal(message?.topic, "energy/home/site/live");
        assert.deepEqual(JSON.parse(message?.payload ?? ""), record);
        assert.equal("record" in (message?.energy ?? {}), false);
      }
    });

    it("treats the latest record of a meter as live, and a range as backlog", async () => {
      await start();
      const { startTime, endTime } = recordAt(END);
      const record = { startTime, endTime, rgm: { power: 1 } };
      const message = { siteId: "home", systemId: "a", energy: { kind: "rgm", hasRgm: true } };
      assert.deepEqual(topics(await node.process({ ...message, payload: record })), ["energy/home/a/live"]);
      assert.deepEqual(topics(await node.process({ ...message, payload: [record] })), [
        "energy/home/a/backlog",
      ]);
    });

    it("treats a record from elsewhere, without msg.energy, as live", async () => {
      await start();
      const whole = await node.process({ payload: recordAt(END), siteId: "home", systemId: "" });
      assert.deepEqual(topics(whole), ["energy/home/site/live"]);
      assert.deepEqual(
        topics(await node.process({ payload: recordAt(END), siteId: "s/1", systemId: "site" })),
        ["energy/s%2F1/%73ite/live"],
      );
    });

    it("sends nothing for a site without a meter, or for an empty range", async () => {
      await start();
      const energy = { kind: "rgm", hasRgm: false };
      for (const payload of [null, []])
        assert.equal((await node.process({ payload, siteId: "home", energy })).length, 0);
      assert.deepEqual(node.caughtSoFar(), []);
    });
  });

  describe("confirmation", () => {
    const deliveries = (messages: MqttMessage[]): unknown[] =>
      messages.map(({ energy }) => energy.delivery).filter((id) => id !== undefined);

    for (const layout of ["json", "values"]) {
      it(`sends the delivery id with the last message only (${layout}, with discovery)`, async () => {
        await start({ layout, discovery: true });
        const messages = await node.process(telemetry(recordAt(END), { delivery: "d-1" }));
        assert.ok(messages.length > 3);
        assert.equal(messages.at(-1)?.energy.delivery, "d-1");
        assert.deepEqual(deliveries(messages), ["d-1"]);
      });

      it(`sends the delivery id of a record without readings (${layout})`, async () => {
        await start({ layout });
        const messages = await node.process(telemetry(recordAt(END, { grid: null }), { delivery: "d-1" }));
        assert.deepEqual(deliveries(messages), ["d-1"]);
      });
    }

    it("sends the delivery id of a batch only with the last message of its last record", async () => {
      await start({ layout: "values" });
      const records = [{ phase: "live" }, { phase: "live" }];
      const batch = [recordAt(END - 5 * MINUTE), recordAt(END)];
      const messages = await node.process(telemetry(batch, { records, delivery: "d-2" }));
      assert.deepEqual(deliveries(messages), ["d-2"]);
      assert.equal(messages.at(-1)?.energy.delivery, "d-2");
    });

    it("publishes the records of a batch beside what is none, confirms nothing, and fails with its place", async () => {
      await start();
      const batch = [recordAt(END - 5 * MINUTE), 5, recordAt(END)];
      node.input(telemetry(batch, { records: [{}, {}, {}], delivery: "d-3", ledger: {} }));
      const { error, energy } = await node.caught();
      const messages = node.newMessages();
      assert.equal(messages.length, 2);
      assert.ok(messages.every((one) => !("delivery" in one.energy) && !("ledger" in one.energy)));
      assert.equal(energy.error.code, "ENERGY_INPUT");
      assert.match(error.message, /not a record \(it is a number\).*Not sent: payload\[1\]\.$/);
    });

    it("sends a ledger only with the last message made from a batch", async () => {
      await start({ layout: "values" });
      const records = [{ phase: "live" }, { phase: "live" }];
      const batch = [recordAt(END - 5 * MINUTE), recordAt(END)];
      const ledger = { series: "site//telemetry" };
      const messages = await node.process(telemetry(batch, { records, ledger }));
      const withLedger = messages.filter(({ energy }) => "ledger" in energy);
      assert.deepEqual(withLedger, messages.slice(-1));
    });
  });

  it("shows how many records it published, and the end of the last", async () => {
    await start();
    await node.process(telemetry([recordAt(END), recordAt(END)]));
    const end = new Date(END).toTimeString().slice(0, 5);
    assert.equal(node.statuses().at(-1), `${end} · home: 2 records`);
  });

  it("counts sites whose ids differ only beyond what the status shows of them", async () => {
    await start();
    const siteId = "a-long-id-of-a-site-number-";
    await node.process({ ...telemetry(recordAt(END)), siteId: `${siteId}1` });
    assert.match(node.statuses().at(-1) ?? "", /· a-long-id-of-a-site-num…: 1 record$/);
    await node.process({ ...telemetry(recordAt(END)), siteId: `${siteId}2` });
    assert.match(node.statuses().at(-1) ?? "", /· 2 sites: 2 records$/);
  });
});
