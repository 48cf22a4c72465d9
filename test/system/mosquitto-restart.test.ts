// Tests what Home Assistant finds on the broker after restarts: its devices, whether they are online, and no outdated state.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type StrictService, startStrictService } from "../support/demo-service";
import { MINUTE } from "../../src/time-units";
import { brokerEnv } from "../support/broker";
import type { Daemon } from "../support/daemon";
import { accountNode } from "../support/delivery-flow";
import { eventually } from "../support/eventually";
import { readExample } from "../support/examples";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, readMqtt } from "../support/mqtt-reader";
import { newUserDirectory } from "../support/package";
import { mosquitto, needed } from "../support/requirements";
import { type FlowNode, NODE_RED, type Runtime, startRuntime } from "../support/runtime";

const SYSTEM = "energy/demo-house/demo-house-1";
const STATE = `${SYSTEM}/state/telemetry`;
const AVAILABILITY = `${SYSTEM}/availability`;
const PUBLISHER = "energy/availability";
const CONFIG = "homeassistant/device/energy__demo-house__demo-house-1/config";

describe("a restart of broker and Node-RED", () => {
  /** Up to where the service has data. */
  let dataUntil: number;
  let service: StrictService;
  let broker: Daemon;
  let userDir: string;
  let runtime: Runtime;
  let home: MqttReader;
  /** The last state before the first restart. */
  let lastState: string;

  const listen = (): Promise<MqttReader> => readMqtt(`mqtt://127.0.0.1:${broker.port}`, "#");
  const start = (): Promise<Runtime> => startRuntime(NODE_RED, brokerEnv(broker.port), userDir);
  const payloads = (topic: RegExp): string[] =>
    home.readings.filter((reading) => topic.test(reading.topic)).map(({ payload }) => payload);

  /** Waits until the last message under a topic has this payload. */
  const latest = (topic: string, payload: string): Promise<true> =>
    eventually(
      () =>
        `no ${payload} under ${topic}:\n${home.readings.map((reading) => `${reading.topic} ${reading.payload.slice(0, 10)}`).join("\n")}\n${runtime.output()}`,
      async () =>
        home.readings.findLast((reading) => reading.topic === topic)?.payload === payload || undefined,
    );

  /** Publishes Home Assistant's birth message until Node-RED, which may not have subscribed yet, answers with the state. */
  const birth = (): Promise<string> =>
    eventually(
      () => `no state after the birth message, only ${home.readings.map(({ topic }) => topic).join("\n")}`,
      async () => {
        await home.publish("homeassistant/status", "online");
        return home.readings.find(({ topic }) => topic === STATE)?.payload;
      },
    );

  /** Waits until the last record of the system is on the disk, where a kill cannot reach it. */
  const stored = (): Promise<true> =>
    eventually(
      () => `nothing stored under ${userDir}`,
      async () => {
        const folder = join(userDir, "energy-sites");
        const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
        const files = paths.filter((path) => path.endsWith(".jsonl")).map((path) => join(folder, path));
        const texts = files.map((file) => readFileSync(file, "utf8"));
        const isLastStored = texts.some((text) =>
          /energy__demo-house__demo-house-1".*"state\/telemetry"/.test(text),
        );
        // Without its position, a system would be read and published again.
        const positions = new Set(texts.join("").match(/\["[^"]*telemetry",\{"cursor"/g));
        const systems = home.readings.filter(({ topic }) => topic.endsWith("/state/telemetry"));
        return (isLastStored && positions.size >= systems.length) || undefined;
      },
    );

  /** The example, connected to the service of this test. */
  function flow(): FlowNode[] {
    return readExample("07-home-assistant.json").map((node) =>
      node.type === "energy-account" ? { ...accountNode(service.baseUrl), id: node.id } : node,
    );
  }

  /** Reads from a broker that has been restarted, so that only what it has retained arrives. */
  async function restartBroker(): Promise<void> {
    await home.close();
    await broker.stop();
    await broker.start();
    home = await listen();
    await home.reading(CONFIG);
  }

  before(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    // One record behind: the newest is still fresh, and another follows later.
    dataUntil = Date.now() - 5 * MINUTE;
    service = await startStrictService({
      publish: (_site, _system, record) => (Date.parse(record.endTime) <= dataUntil ? record : undefined),
    });
    userDir = await newUserDirectory();
    runtime = await start();
    home = await listen();
    await runtime.deploy(flow());
    lastState = (await home.reading(STATE)).payload;
    await stored();
  });
  after(async () => {
    await runtime?.stop();
    await home?.close();
    await broker?.stop();
    await service?.close();
  });

  it("leaves the devices on the broker, and that nothing is published, but none of their states", async () => {
    await runtime.kill();
    await restartBroker();
    assert.deepEqual(new Set(payloads(/\/.*\/availability$/)), new Set(["online"]));
    await latest(PUBLISHER, "offline");
    assert.deepEqual(payloads(/\/(live|state|stale|backlog)(\/|$)/), []);
  });

  it("brings the last state back when Home Assistant requests it, because it is still fresh", async () => {
    dataUntil -= 60 * MINUTE;
    runtime = await start();
    assert.equal(await birth(), lastState);
    await latest(AVAILABILITY, "online");
  });

  it("says that nothing is published any more when Node-RED is stopped", async () => {
    await runtime.stop();
    await latest(PUBLISHER, "offline");
    await restartBroker();
    await latest(PUBLISHER, "offline");
  });

  it("brings the devices back online by itself, without a record and without a state", async () => {
    runtime = await start();
    await latest(PUBLISHER, "online");
    await latest(AVAILABILITY, "online");
    // What follows are the states that the example reads once it is connected.
    const online = home.readings.findIndex(
      ({ topic, payload }) => topic === PUBLISHER && payload === "online",
    );
    const before = home.readings.slice(0, online).map(({ topic }) => topic);
    assert.deepEqual(
      before.filter((topic) => /\/(live|state)(\/|$)/.test(topic)),
      [],
    );
  });

  it("brings new states with the next record", async () => {
    dataUntil = Date.now();
    await broker.stop();
    await broker.start();
    const { payload } = await home.reading(STATE);
    const { endTime } = JSON.parse(payload) as { endTime: string };
    assert.ok(Date.parse(endTime) > dataUntil - 10 * MINUTE, endTime);
    await latest(AVAILABILITY, "online");
  });
});
