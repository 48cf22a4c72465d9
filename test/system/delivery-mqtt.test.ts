// Tests with real processes that no record is lost on its way to a broker, whatever is stopped or killed.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { noise } from "../../src/demo/conditions";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { recordId, seriesId } from "../../src/series/identity";
import type { Daemon } from "../support/daemon";
import {
  accountNode,
  brokerNode,
  type DeliveryMode,
  deliveryTab,
  mqttOut,
  slowNode,
} from "../support/delivery-flow";
import { Tally } from "./delivery-tally";
import { eventually } from "../support/eventually";
import { type ServiceRecords, startServiceWithRecords } from "../support/service-records";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, PERSISTENT, type Reading, readMqtt } from "../support/mqtt-reader";
import { newUserDirectory } from "../support/package";
import { mosquitto, needed } from "../support/requirements";
import { type FlowNode, NODE_RED, type Runtime, startRuntime } from "../support/runtime";

const HOURS = 36;
const KILLS = 3;
/** Determines when Node-RED is killed. */
const SEED = 20_26;
const RECORDS_PER_SECOND = 200;
/** All kills happen within the first half of the records. */
const MOST_BETWEEN_KILLS = 200;

/** Runs the same flow twice, so that both face the same failures. */
const MODES: DeliveryMode[] = ["confirmed", "sent"];

function readings(mode: DeliveryMode): FlowNode {
  return { id: "readings", type: "energy-mqtt", prefix: mode, layout: "json", discovery: false, qos: 1 };
}

describe(`a catch-up of ${HOURS} hours to a broker`, function () {
  this.timeout(240_000);
  let expected: ServiceRecords;
  let arrived: Record<DeliveryMode, Tally>;
  let broker: Daemon;
  let reader: MqttReader;
  let userDir: string;
  let runtime: Runtime;

  /** Derives the record's id from its topic: PREFIX/SITE/SYSTEM/PHASE. */
  function addReading({ topic, payload }: Reading): void {
    const [mode, siteId = "", systemId = ""] = topic.split("/").map(decodeURIComponent);
    const record = JSON.parse(payload) as TelemetryRecord;
    const id = recordId(seriesId({ siteId, systemId }, "telemetry"), Date.parse(record.startTime));
    arrived[mode as DeliveryMode].add(id, record);
  }

  before(async () => {
    expected = await startServiceWithRecords(HOURS);
  });
  after(() => expected.service.close());

  beforeEach(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    arrived = { confirmed: new Tally(expected), sent: new Tally(expected) };
    reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "+/#", addReading, PERSISTENT);
    userDir = await newUserDirectory();
    runtime = await startRuntime(NODE_RED, {}, userDir);
    const tabs = MODES.map((mode) => {
      const makers = [readings(mode), slowNode(RECORDS_PER_SECOND)];
      return deliveryTab(mode, { mode, hours: expected.startHours }, makers, mqttOut());
    });
    await runtime.deploy([accountNode(expected.service.baseUrl), brokerNode(broker.port), ...tabs.flat()]);
  });
  afterEach(async () => {
    await runtime?.stop();
    await reader?.close();
    await broker?.stop();
  });

  /** Resolves when the given number of records have arrived. */
  const recordsArrive = (count: number): Promise<unknown> =>
    eventually(
      () => `only ${arrived.confirmed.count} of ${count} records have arrived`,
      async () => arrived.confirmed.count >= count || undefined,
    );

  /** Resolves when nothing has arrived for longer than the resend interval. */
  async function silence(): Promise<void> {
    const count = (): number => arrived.confirmed.count + arrived.sent.count;
    for (let before = -1; before !== count();) {
      before = count();
      await pause(4000);
    }
  }

  async function allRecordsArrive(): Promise<void> {
    await eventually(
      () => `${String(arrived.confirmed)}\n${runtime.output().slice(-2000)}`,
      async () => arrived.confirmed.missing === 0 || undefined,
      120_000,
    );
    await silence();
    for (const mode of MODES) console.log(`      delivery ${mode}: ${String(arrived[mode])}`);
    assert.deepEqual(arrived.confirmed.wrong, []);
  }

  it("delivers every record even if the broker is stopped for 10 seconds and killed", async () => {
    await recordsArrive(500);
    await broker.stop();
    await pause(10_000);
    await broker.start();
    await recordsArrive(arrived.confirmed.count + 500);
    await broker.kill();
    assert.notEqual(arrived.confirmed.missing, 0, "the catch-up was over before the broker was killed");
    await pause(1000);
    await broker.start();
    await allRecordsArrive();
  });

  it(`delivers every record even if Node-RED is killed ${KILLS} times`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Only a flow that is busy has something to lose; how soon it is depends on the machine.
      await recordsArrive(arrived.confirmed.count + Math.ceil(MOST_BETWEEN_KILLS * noise(SEED, kill)));
      await runtime.kill();
      assert.notEqual(arrived.confirmed.missing, 0, `the catch-up was over before kill ${kill + 1}`);
      runtime = await startRuntime(NODE_RED, {}, userDir);
    }
    await allRecordsArrive();

    const { count } = arrived.confirmed;
    await runtime.stop();
    runtime = await startRuntime(NODE_RED, {}, userDir);
    await silence();
    assert.equal(arrived.confirmed.count, count, "confirmed records must not be sent again");
  });
});
