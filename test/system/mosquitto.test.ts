// Readings reach a broker that other people wrote, and come from there to whoever listens.
import assert from "node:assert/strict";
import { brokerEnv } from "../support/broker";
import type { Daemon } from "../support/daemon";
import { readExample } from "../support/examples";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, readMqtt } from "../support/mqtt-reader";
import { mosquitto, needed } from "../support/requirements";
import { NODE_RED_4, type Runtime, startRuntime } from "../support/runtime";

describe("readings to mosquitto", () => {
  let broker: Daemon;
  let reader: MqttReader;
  let runtime: Runtime;

  before(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "energy/#");
    runtime = await startRuntime(NODE_RED_4, brokerEnv(broker.port));
  });
  after(async () => {
    await runtime?.stop();
    await reader?.close();
    await broker?.end();
  });

  it("come as the service's own records, each system under its topic", async () => {
    await runtime.deploy(readExample("02-readings-to-mqtt.json"));
    for (const topic of ["energy/demo-house/demo-house-1", "energy/demo-twin/demo-twin-b"]) {
      const record = JSON.parse((await reader.reading(topic)).payload) as Record<string, object>;
      assert.equal(typeof record["startTime"], "string");
      assert.ok(record["storage"] && "stateOfCharge" in record["storage"], topic);
    }
  });
});
