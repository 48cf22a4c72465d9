// Promises of mqtt readings to Home Assistant: devices as they are, states only while they are fresh, counters without dips.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import sinon from "sinon";
import type { MqttMessage } from "../../src/messages";
import type { NodeOptions } from "../support/flow";
import { HomeAssistant } from "../support/home-assistant";
import {
  type MqttNode,
  MINUTE,
  payloadUnder,
  recordAt,
  startMqtt,
  telemetry,
  topics,
} from "../support/mqtt-node";
import { temporaryFolder } from "../support/temporary";

const NOW = Date.UTC(2026, 5, 10, 10, 7);
const END = NOW - 2 * MINUTE;
const SITE = "energy__home";
const SYSTEM = "energy__home__a";
const CONFIGS = [`homeassistant/device/${SITE}/config`, `homeassistant/device/${SYSTEM}/config`];
const BIRTH = { topic: "homeassistant/status", payload: "online", qos: 0, retain: false };

const FULL = {
  grid: {
    energy: 1,
    power: 2,
    exportedEnergy: 3,
    importedEnergy: 4,
    lifetimeExportedEnergy: 5,
    lifetimeImportedEnergy: 6,
    connectivityStatus: "ON_GRID",
  },
  solar: { energy: 1, power: 2, lifetimeEnergy: 3 },
  consumption: { energy: 1, power: 2, lifetimeEnergy: 3 },
  storage: {
    energy: 1,
    power: -2,
    dischargeEnergy: 3,
    chargeEnergy: 4,
    lifetimeDischargeEnergy: 5,
    lifetimeChargeEnergy: 6,
    stateOfCharge: 57.5,
    remainingEnergy: 8,
    totalEnergy: 9,
    minimumReserve: 20,
  },
  inverter: { power: 1, lifetimeExportedEnergy: 2, lifetimeImportedEnergy: 3 },
};

describe("mqtt readings for Home Assistant", () => {
  let clock: sinon.SinonFakeTimers;
  let node: MqttNode;
  let home: HomeAssistant;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date", "setTimeout", "clearTimeout"] });
    home = new HomeAssistant();
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (
    properties: Record<string, unknown> = {},
    options: NodeOptions = {},
  ): Promise<void> => {
    node = await startMqtt(properties, options);
  };
  /** Home Assistant hears all that the node sends. */
  const take = async (message: NodeMessage): Promise<MqttMessage[]> => {
    const messages = await node.take(message);
    home.take(messages);
    return messages;
  };
  const pass = async (milliseconds: number): Promise<MqttMessage[]> => {
    await clock.tickAsync(milliseconds);
    const messages = node.news();
    home.take(messages);
    return messages;
  };
  /** A live record that ended just now. */
  const live = (groups: object = {}): Promise<MqttMessage[]> => take(telemetry(recordAt(Date.now(), groups)));
  const isConfig = ({ topic }: MqttMessage): boolean => topic.endsWith("/config");
  const keys = (id = SYSTEM): string[] => Object.keys(home.device(id).components).toSorted();

  describe("discovery", () => {
    it("comes once, before the state: the site, then the system under it, both retained", async () => {
      await start();
      assert.deepEqual(topics(await take(telemetry(recordAt(END)))), [
        ...CONFIGS,
        "energy/home/site/availability",
        "energy/home/a/availability",
        "energy/home/a/state/telemetry",
        "energy/home/a/live",
      ]);
      assert.equal(home.device(SYSTEM).device.via_device, SITE);
      assert.equal((await take(telemetry(recordAt(END)))).some(isConfig), false);
    });

    it("comes again with a delivery that comes again: the broker may not have had it", async () => {
      await start();
      const first = telemetry(recordAt(END), { delivery: "d1" });
      const configs = async (message: NodeMessage): Promise<string[]> =>
        topics((await take(message)).filter(isConfig));
      assert.deepEqual(await configs(first), CONFIGS);
      assert.deepEqual(await configs(telemetry(recordAt(END), { delivery: "d2" })), []);
      assert.deepEqual(await configs(first), CONFIGS);
      const records = [recordAt(END - 10 * MINUTE), recordAt(END)];
      assert.deepEqual(await configs({ ...first, payload: records }), CONFIGS);
    });

    it("makes the entities that the Energy dashboard needs, of everything that a system can have", async () => {
      await start();
      await live(FULL);
      const { components } = home.device(SYSTEM);
      const kinds = Object.entries(components).map(([key, one]) => [
        key,
        ["device_class", "state_class", "unit_of_measurement", "entity_category"]
          .flatMap((option) => (one[option] as string | undefined) ?? [])
          .join(" "),
      ]);
      assert.deepEqual(Object.fromEntries(kinds), {
        stale: "problem diagnostic",
        telemetry_endTime: "timestamp diagnostic",
        grid_power: "power measurement W",
        grid_lifetimeImportedEnergy: "energy total_increasing Wh",
        grid_lifetimeExportedEnergy: "energy total_increasing Wh",
        grid_connectivityStatus: "",
        solar_power: "power measurement W",
        solar_lifetimeEnergy: "energy total_increasing Wh",
        consumption_power: "power measurement W",
        consumption_lifetimeEnergy: "energy total_increasing Wh",
        storage_power: "power measurement W",
        storage_lifetimeDischargeEnergy: "energy total_increasing Wh",
        storage_lifetimeChargeEnergy: "energy total_increasing Wh",
        storage_stateOfCharge: "battery measurement %",
        storage_remainingEnergy: "energy_storage measurement Wh",
        storage_totalEnergy: "energy_storage measurement Wh",
        storage_minimumReserve: "measurement % diagnostic",
        inverter_power: "power measurement W",
        inverter_lifetimeImportedEnergy: "energy total_increasing Wh",
        inverter_lifetimeExportedEnergy: "energy total_increasing Wh",
      });
      const soc = components["storage_stateOfCharge"];
      assert.deepEqual(
        [soc?.unique_id, soc?.default_entity_id, soc?.["expire_after"]],
        ["energy__home__a_storage_stateOfCharge", "sensor.energy_home_a_storage_stateofcharge", 1800],
      );
    });

    it("says what the states are, for every entity", async () => {
      await start();
      await live(FULL);
      assert.deepEqual(home.states(SYSTEM, "storage_power"), ["-2"]);
      assert.deepEqual(home.states(SYSTEM, "grid_connectivityStatus"), ["ON_GRID"]);
      assert.deepEqual(home.states(SYSTEM, "telemetry_endTime"), ["2026-06-10T10:07:00.000Z"]);
      assert.deepEqual(home.states(SYSTEM, "stale"), ["online"]);
      for (const key of keys()) assert.notEqual(home.states(SYSTEM, key).at(-1), undefined, key);
    });

    it("makes entities only for readings that were there, and more when more come", async () => {
      await start();
      await live({ grid: { power: 1 }, solar: null });
      assert.deepEqual(keys(), ["grid_power", "stale", "telemetry_endTime"]);
      const messages = await live({ grid: { power: 1 }, solar: { power: 0 } });
      assert.deepEqual(topics(messages.filter(isConfig)), [CONFIGS[1]]);
      assert.deepEqual(keys(), ["grid_power", "solar_power", "stale", "telemetry_endTime"]);
    });

    it("keeps the entities of a group that turns null: they become unknown, not 0 and not what they were", async () => {
      await start();
      await live({ grid: { power: 1 }, solar: { power: 5 } });
      const messages = await live({ grid: { power: null }, solar: null });
      assert.equal(messages.some(isConfig), false);
      assert.deepEqual(home.states(SYSTEM, "solar_power"), ["5", null]);
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["1", null]);
    });

    it("stands the readings of a site without systems under the site itself", async () => {
      await start();
      await take({ ...telemetry(recordAt(END)), systemId: undefined });
      assert.deepEqual(home.deviceIds(), [SITE]);
      assert.deepEqual(home.states(SITE, "grid_power"), ["120.5"]);
    });

    it("keeps meter and telemetry apart, each with its own state and time", async () => {
      await start();
      const { startTime, endTime } = recordAt(END);
      await take(telemetry(recordAt(END)));
      await take(
        telemetry({ startTime, endTime, rgm: { power: 7, lifetimeImportedEnergy: 8 } }, { kind: "rgm" }),
      );
      assert.deepEqual(home.states(SYSTEM, "rgm_power"), ["7"]);
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["120.5"]);
      assert.equal(home.device(SYSTEM).components["rgm_endTime"]?.name, "Revenue meter data as of");
    });

    it("names AC and DC where a system has both", async () => {
      await start();
      const name = (key: string): string | undefined => home.device(SYSTEM).components[key]?.name;
      await take(telemetry(recordAt(END, FULL), { basis: { grid: "ac", solar: "ac", storage: "ac" } }));
      assert.deepEqual([name("grid_power"), name("inverter_power")], ["Grid power", "Inverter power AC"]);
      await take(telemetry(recordAt(END, FULL), { basis: { grid: "ac", solar: "dc", storage: "dc" } }));
      assert.deepEqual(
        [name("grid_power"), name("solar_power"), name("storage_lifetimeChargeEnergy")],
        ["Grid power AC", "Solar power DC", "Battery energy charged DC"],
      );
      assert.equal(name("storage_stateOfCharge"), "Battery state of charge");
    });

    it("takes the prefixes and the expiry of the node", async () => {
      home = new HomeAssistant("ha/test");
      await start({ prefix: "my/power", discoveryPrefix: "ha/test", expireAfter: 900.5, qos: 0 });
      await live();
      const config = home.device("my_2fpower__home__a");
      assert.deepEqual([config.qos, config.components["grid_power"]?.["expire_after"]], [0, 901]);
      assert.deepEqual(home.states("my_2fpower__home__a", "grid_power"), ["120.5"]);
    });

    it("keeps silent about devices where it is off", async () => {
      await start({ discovery: false });
      assert.deepEqual(topics(await live()), ["energy/home/a/live"]);
      assert.deepEqual(await node.take(BIRTH), []);
      await clock.tickAsync(120 * MINUTE);
      assert.deepEqual(node.news(), []);
    });

    for (const layout of ["json", "values"]) {
      it(`serves the same entities in layout ${layout}`, async () => {
        await start({ layout });
        await live();
        assert.deepEqual(home.states(SYSTEM, "grid_power"), ["120.5"]);
      });
    }
  });

  describe("only what is fresh", () => {
    it("tells no state of backlog, but the device", async () => {
      await start();
      await take(telemetry(recordAt(END), { phase: "catchup" }));
      assert.deepEqual(home.deviceIds(), [SITE, SYSTEM]);
      assert.deepEqual(home.states(SYSTEM, "grid_power"), []);
    });

    it("says after its time that a device is stale that has only brought backlog", async () => {
      await start();
      await take(telemetry(recordAt(END), { phase: "catchup" }));
      assert.deepEqual(await pass(30 * MINUTE - 1), []);
      await pass(1);
      assert.deepEqual(home.states(SYSTEM, "stale"), ["offline"]);
    });

    it("tells no state of a live record that comes too late", async () => {
      await start();
      const messages = await take(telemetry(recordAt(NOW - 30 * MINUTE)));
      assert.deepEqual(topics(messages), [...CONFIGS, "energy/home/a/live"]);
      assert.deepEqual(home.states(SYSTEM, "stale"), []);
    });

    it("tells no state of a record that is older than the last", async () => {
      await start();
      await live({ grid: { power: 1 } });
      const messages = await take(telemetry(recordAt(NOW - 5 * MINUTE, { grid: { power: 3 } })));
      assert.deepEqual(topics(messages), ["energy/home/a/live"]);
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["1"]);
    });

    it("retains no state unless it is told to", async () => {
      await start();
      const retained = (await live()).filter(({ retain }) => retain);
      assert.deepEqual(topics(retained), CONFIGS);
    });

    it("tells the state of a new device once more when Home Assistant listens", async () => {
      await start();
      await live();
      assert.deepEqual(topics(await pass(5000)), [
        "energy/home/site/availability",
        "energy/home/a/availability",
        "energy/home/a/state/telemetry",
      ]);
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["120.5", "120.5"]);
      assert.deepEqual(await pass(20 * MINUTE), []);
    });

    it("says that a device is stale once its last record is too old, says it again, and takes it back", async () => {
      await start();
      await live();
      await pass(5000);
      assert.deepEqual(await pass(30 * MINUTE - 5001), []);
      const messages = await pass(1);
      assert.deepEqual(topics(messages), ["energy/home/site/availability", "energy/home/a/availability"]);
      assert.deepEqual(home.states(SYSTEM, "stale").at(-1), "offline");
      assert.deepEqual(messages[0]?.energy, { kind: "mqtt" });
      assert.equal((await pass(30 * MINUTE)).length, 2);
      await live();
      assert.deepEqual(home.states(SYSTEM, "stale").slice(-3), ["offline", "offline", "online"]);
      assert.deepEqual(home.states(SITE, "stale").at(-1), "online");
    });

    it("keeps a site fresh while one of its systems is", async () => {
      await start();
      await live();
      await pass(20 * MINUTE);
      await take({ ...telemetry(recordAt(Date.now())), systemId: "b" });
      await pass(15 * MINUTE);
      assert.equal(home.states(SYSTEM, "stale").at(-1), "offline");
      assert.equal(home.states("energy__home__b", "stale").at(-1), "online");
      assert.equal(home.states(SITE, "stale").at(-1), "online");
    });

    it("leaves nothing behind when it is stopped", async () => {
      await start();
      await live();
      await node.stop();
      assert.equal(clock.countTimers(), 0);
    });
  });

  describe("birth of Home Assistant", () => {
    for (const [name, payload] of [
      ["a text", "online"],
      ["a buffer", Buffer.from("online")],
    ] as const) {
      it(`brings every device again, each followed by its last fresh record (${name})`, async () => {
        await start();
        await take(telemetry(recordAt(END), { delivery: "d-1" }));
        const messages = await node.take({ ...BIRTH, payload });
        assert.deepEqual(topics(messages), [
          CONFIGS[0],
          "energy/home/site/availability",
          CONFIGS[1],
          "energy/home/a/availability",
          "energy/home/a/state/telemetry",
          "energy/home/a/live",
        ]);
        home = new HomeAssistant();
        home.take(messages);
        assert.deepEqual(home.states(SYSTEM, "grid_power"), ["120.5"]);
        assert.deepEqual(payloadUnder(messages, "energy/home/a/live"), recordAt(END));
        assert.ok(messages.every(({ energy, qos }) => energy.delivery === undefined && qos === 1));
        assert.equal(node.statuses().at(-1), "2 devices");
      });
    }

    it("brings no record that is no longer fresh", async () => {
      await start();
      await live();
      await pass(31 * MINUTE);
      const messages = await take(BIRTH);
      assert.deepEqual(
        topics(messages).filter((topic) => !CONFIGS.includes(topic)),
        ["energy/home/site/availability", "energy/home/a/availability"],
      );
      assert.deepEqual(home.states(SYSTEM, "stale").at(-1), "offline");
    });

    it("brings the devices after a restart, and revives no state", async () => {
      const userDir = temporaryFolder();
      await start({}, { userDir });
      await live();
      await node.stop();
      home = new HomeAssistant();
      await start({}, { userDir });
      const messages = await take(BIRTH);
      assert.deepEqual(home.deviceIds(), [SITE, SYSTEM]);
      assert.ok(messages.every(({ topic }) => !/\/(live|state)\b/.test(topic)));
      assert.deepEqual(home.states(SYSTEM, "stale"), ["offline"]);
      await live();
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["120.5"]);
    });

    it("says after a restart that a device is stale that brings no record any more", async () => {
      const userDir = temporaryFolder();
      await start({}, { userDir });
      await live();
      await node.stop();
      await start({}, { userDir });
      // By then the node has read what it knew.
      await take({ ...BIRTH, payload: "offline" });
      assert.deepEqual(await pass(30 * MINUTE - 1), []);
      assert.deepEqual(
        (await pass(1)).map(({ payload }) => payload),
        ["offline", "offline"],
      );
    });

    it("goes by nothing else: neither offline nor the same words elsewhere", async () => {
      await start();
      await live();
      assert.deepEqual(await node.take({ ...BIRTH, payload: "offline" }), []);
      assert.equal((await node.refusal({ ...BIRTH, topic: "other/status" })).code, "ENERGY_INPUT");
    });
  });

  describe("counters", () => {
    const counter = (lifetimeImportedEnergy: number | null): Promise<MqttMessage[]> => {
      clock.setSystemTime(Date.now() + 5 * MINUTE);
      return live({ grid: { lifetimeImportedEnergy, power: 1 } });
    };
    const states = (): (string | null)[] => home.states(SYSTEM, "grid_lifetimeImportedEnergy");

    it("never show a glitch, while the record keeps the service's value", async () => {
      await start();
      await counter(5000);
      const messages = await counter(0);
      await counter(null);
      await counter(5001);
      assert.deepEqual(states(), ["5000", null, null, "5001"]);
      const record = payloadUnder(messages, "energy/home/a/live") as { grid: object };
      assert.deepEqual(record.grid, { lifetimeImportedEnergy: 0, power: 1 });
      assert.deepEqual(home.states(SYSTEM, "grid_power"), ["1", "1", "1", "1"]);
    });

    it("show a real reset with the third record", async () => {
      await start();
      for (const value of [5000, 1, 2, 3, 4]) await counter(value);
      assert.deepEqual(states(), ["5000", null, null, "3", "4"]);
    });

    it("remember over a restart what was last and what is in doubt", async () => {
      const userDir = temporaryFolder();
      await start({}, { userDir });
      for (const value of [5000, 1, 2]) await counter(value);
      await node.stop();
      await start({}, { userDir });
      await counter(3);
      assert.deepEqual(states(), ["5000", null, null, "3"]);
    });
  });

  describe("sites", () => {
    const list = (payload: unknown): NodeMessage => ({ payload, energy: { kind: "site-list", count: 1 } });
    const systems = (...ids: string[]): object[] => ids.map((systemId) => ({ systemId }));

    it("give devices their names, before the first record and after it", async () => {
      await start();
      await take(list([{ siteId: "home", siteName: "Roof & Sons", systems: systems("a") }]));
      await live();
      assert.equal(home.device(SITE).device.name, "Roof & Sons");
      assert.equal(home.device(SYSTEM).device.name, "Roof & Sons a");
      const messages = await take(list({ siteId: "home", siteName: "New name" }));
      assert.deepEqual(topics(messages), CONFIGS);
      assert.equal(home.device(SITE).device.name, "New name");
      assert.deepEqual(
        await take(list([{ siteId: "home", siteName: "New name", systems: systems("a") }])),
        [],
      );
    });

    it("are called by their id until they have a name", async () => {
      await start();
      await live();
      assert.equal(home.device(SITE).device.name, "home");
    });

    it("take a system that is gone off the broker, and leave the others", async () => {
      await start();
      await live();
      await take({ ...telemetry(recordAt(END)), systemId: "b" });
      const messages = await take(list([{ siteId: "home", systems: systems("b") }]));
      assert.deepEqual(
        messages.map(({ topic, payload, retain }) => [topic, payload, retain]),
        [[CONFIGS[1], "", true]],
      );
      assert.deepEqual(home.deviceIds(), [SITE, "energy__home__b"]);
      assert.deepEqual(await take(list([{ siteId: "home", systems: systems("b") }])), []);
    });

    it("take a site that is gone off the broker, its systems first; also after a restart", async () => {
      const userDir = temporaryFolder();
      await start({}, { userDir });
      await live();
      await node.stop();
      await start({}, { userDir });
      assert.deepEqual(topics(await take(list([]))), CONFIGS.toReversed());
      assert.deepEqual(home.deviceIds(), []);
      assert.deepEqual(await take(BIRTH), []);
      assert.deepEqual(await pass(60 * MINUTE), []);
    });

    it("bring a device back with its next record", async () => {
      await start();
      await live();
      await take(list([]));
      assert.equal(clock.countTimers(), 0);
      await take(telemetry(recordAt(END), { phase: "late" }));
      assert.deepEqual(home.deviceIds(), [SITE, SYSTEM]);
      assert.equal(topics(await take(BIRTH)).includes("energy/home/a/live"), false);
    });

    it("take off every retained message of a device", async () => {
      await start({ retain: true, layout: "values" });
      const retained = topics(await live({ grid: { power: 1 } }));
      const messages = await take(list([]));
      assert.deepEqual(topics(messages).toSorted(), retained.toSorted());
      assert.ok(messages.every(({ payload, retain }) => payload === "" && retain));
    });

    it("take nothing off for a message of one site or system, nor for a site that tells no systems", async () => {
      await start();
      await live();
      for (const payload of [{ siteId: "other" }, { systemId: "z" }, [{ siteId: "home" }]])
        assert.deepEqual(await take(list(payload)), []);
      assert.deepEqual(await take(list([{ siteId: "home", systems: [{ nameless: true }] }])), []);
      assert.deepEqual(home.deviceIds(), [SITE, SYSTEM]);
    });
  });
});
