// Tests that a restart restores the devices, but no outdated state.
import assert from "node:assert/strict";
import { type DemoService, startDemoService } from "../../src/demo";
import { MINUTE } from "../../src/time-units";
import { brokerEnv } from "../support/broker";
import type { Daemon } from "../support/daemon";
import { accountNode } from "../support/delivery-flow";
import { eventually } from "../support/eventually";
import { readExample } from "../support/examples";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, readMqtt } from "../support/mqtt-reader";
import { installedPackage } from "../support/package";
import { mosquitto, needed } from "../support/requirements";
import { type FlowNode, NODE_RED, type Runtime, startRuntime } from "../support/runtime";

const SYSTEM = "energy/demo-house/demo-house-1";
const STATE = `${SYSTEM}/state/telemetry`;
const AVAILABILITY = `${SYSTEM}/availability`;
const CONFIG = "homeassistant/device/energy__demo-house__demo-house-1/config";

describe("a restart of broker and Node-RED", () => {
  /** Up to where the service has data. */
  let dataUntil: number;
  let service: DemoService;
  let broker: Daemon;
  let userDir: string;
  let runtime: Runtime;
  let home: MqttReader;

  const listen = (): Promise<MqttReader> => readMqtt(`mqtt://127.0.0.1:${broker.port}`, "#");
  const start = (): Promise<Runtime> => startRuntime(NODE_RED, brokerEnv(broker.port), userDir);
  const payloads = (topic: RegExp): string[] =>
    home.readings.filter((reading) => topic.test(reading.topic)).map(({ payload }) => payload);

  /** Resolves once Node-RED has subscribed; it misses earlier messages. */
  const connected = (): Promise<true> =>
    eventually(
      () => `no connection to the broker:\n${runtime.output()}`,
      async () => runtime.output().includes("Connected to broker") || undefined,
    );

  /** The example, connected to the service of this test. */
  function flow(): FlowNode[] {
    return readExample("07-home-assistant.json").map((node) =>
      node.type === "energy-account" ? { ...accountNode(service.baseUrl), id: node.id } : node,
    );
  }

  before(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    // One record behind: the newest is still fresh, and another follows later.
    dataUntil = Date.now() - 5 * MINUTE;
    service = await startDemoService({
      isPublished: (_site, _system, { endTime }) => Date.parse(endTime) <= dataUntil,
    });
    userDir = await installedPackage();
    runtime = await start();
    home = await listen();
    await runtime.deploy(flow());
    await home.reading(STATE);
  });
  after(async () => {
    await runtime?.stop();
    await home?.close();
    await broker?.stop();
    await service?.close();
  });

  it("leaves the devices on the broker, but none of their states", async () => {
    await home.close();
    await runtime.kill();
    await broker.stop();
    await broker.start();
    home = await listen();
    await home.reading(CONFIG);
    assert.deepEqual(payloads(/^energy/), []);
  });

  it("publishes no outdated state: without a fresh record the devices are offline", async () => {
    dataUntil -= 60 * MINUTE;
    runtime = await start();
    await connected();
    await home.publish("homeassistant/status", "online");
    await home.reading(AVAILABILITY);
    assert.deepEqual(new Set(payloads(/availability$/)), new Set(["offline"]));
    // A system that was not read before the kill may send its newest record, as backlog.
    assert.deepEqual(payloads(/\/(live|state)(\/|$)/), []);
  });

  it("brings the devices back online with the next record", async () => {
    dataUntil = Date.now();
    await broker.stop();
    await broker.start();
    const { payload } = await home.reading(STATE);
    const { endTime } = JSON.parse(payload) as { endTime: string };
    assert.ok(Date.parse(endTime) > dataUntil - 10 * MINUTE, endTime);
    assert.equal(payloads(/demo-house-1\/availability$/).at(-1), "online");
  });
});
