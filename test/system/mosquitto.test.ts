// Tests that readings reach subscribers through a third-party broker.
import assert from "node:assert/strict";
import { brokerEnv } from "../support/broker";
import type { Daemon } from "../support/daemon";
import { discoveryFaults } from "../support/discovery-schema";
import { readExample } from "../support/examples";
import { HomeAssistant } from "../support/home-assistant";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, readMqtt } from "../support/mqtt-reader";
import { mosquitto, needed } from "../support/requirements";
import { NODE_RED, type Runtime, startRuntime } from "../support/runtime";

describe("readings to mosquitto", () => {
  let broker: Daemon;
  let reader: MqttReader;
  let runtime: Runtime;

  before(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "#");
    runtime = await startRuntime(NODE_RED, brokerEnv(broker.port));
  });
  after(async () => {
    await runtime?.stop();
    await reader?.close();
    await broker?.stop();
  });

  it("arrive as the service's own records, each system under its topic", async () => {
    await runtime.deploy(readExample("07-home-assistant.json"));
    for (const system of ["demo-house/demo-house-1", "demo-twin/demo-twin-b"]) {
      const { payload } = await reader.reading(`energy/${system}/live`);
      const record = JSON.parse(payload) as Record<string, object>;
      assert.equal(typeof record["startTime"], "string");
      assert.ok(record["storage"] && "stateOfCharge" in record["storage"], system);
    }
  });

  it("arrive with discovery that Home Assistant accepts, and states for its entities", async () => {
    const topic = "homeassistant/device/energy__demo-twin__demo-twin-b/config";
    const { payload } = await reader.reading(topic);
    assert.deepEqual(discoveryFaults(topic, payload), []);
    const home = new HomeAssistant();
    home.receive(reader.readings.map((reading) => ({ ...reading, retain: true })));
    assert.ok(Number(home.states("energy__demo-house__demo-house-1", "storage_stateOfCharge").at(-1)) > 0);
  });

  it("arrive with the devices of each system and the alerts of each site", async () => {
    const battery = "demo-house/demo-house-1/devices/demo-house-1-battery-1";
    const { payload } = await reader.reading(`energy/${battery}/state`);
    assert.ok(Number((JSON.parse(payload) as Record<string, unknown>)["stateOfCharge"]) > 0);
    const configs = reader.readings.filter(({ topic }) => topic.endsWith("/config"));
    assert.ok(configs.some(({ topic }) => topic.endsWith("-battery-1/config")));
    assert.ok(configs.some(({ payload: config }) => config.includes("/alerts/state")));
    for (const { topic, payload: config } of configs)
      assert.deepEqual(discoveryFaults(topic, config), [], topic);
  });

  it("arrive as single values, as numbers", async () => {
    await runtime.deploy(readExample("02-readings-to-mqtt.json"));
    const { payload } = await reader.reading("energy/demo-house/demo-house-1/live/storage/stateOfCharge");
    assert.ok(Number(payload) > 0);
  });
});
