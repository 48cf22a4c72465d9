// Readings reach a broker that other people wrote, and come from there to whoever listens.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../tools/node-red.mjs";
import { brokerEnv } from "../support/broker";
import { eventually } from "../support/eventually";
import { readExample } from "../support/examples";
import { type MqttReader, readMqtt } from "../support/mqtt-reader";
import { mosquitto, needed } from "../support/requirements";
import { NODE_RED_4, type Runtime, startRuntime } from "../support/runtime";
import { temporaryFolder } from "../support/temporary";

describe("readings to mosquitto", () => {
  let broker: ChildProcess;
  let reader: MqttReader;
  let runtime: Runtime;

  before(async function () {
    const program = needed(mosquitto, this);
    const port = await freePort();
    const settings = join(temporaryFolder(), "mosquitto.conf");
    writeFileSync(settings, `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
    broker = spawn(program, ["-c", settings], { stdio: "ignore" });
    const connect = (): Promise<MqttReader | undefined> =>
      readMqtt(`mqtt://127.0.0.1:${port}`, "energy/#").catch(() => undefined);
    reader = await eventually(() => "mosquitto does not answer", connect);
    runtime = await startRuntime(NODE_RED_4, brokerEnv(port));
  });
  after(async () => {
    await runtime?.stop();
    await reader?.close();
    broker?.kill();
    if (broker) await once(broker, "close");
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
