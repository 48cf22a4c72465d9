// No record is lost on its way to a broker, whatever is stopped or killed meanwhile; with real processes.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { noise } from "../../src/demo/noise";
import type { Daemon } from "../support/daemon";
import {
  accountNode,
  brokerNode,
  codeNode,
  type DeliveryMode,
  deliveryTab,
  mqttOut,
  slowNode,
} from "../support/delivery-flow";
import { type Arrival, tally, tallyText } from "../support/delivery-tally";
import { eventually } from "../support/eventually";
import { type HeldRecords, serviceHolding } from "../support/held-records";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, PERSISTENT, readMqtt } from "../support/mqtt-reader";
import { installedPackage } from "../support/package";
import { mosquitto, needed } from "../support/requirements";
import { NODE_RED_4, type Runtime, startRuntime } from "../support/runtime";

const HOURS = 72;
const KILLS = 20;
/** Where Node-RED is killed hangs on it alone. */
const SEED = 20_26;
const RECORDS_PER_SECOND = 200;

/** The same flow twice, so that both meet the same failures. */
const MODES: DeliveryMode[] = ["confirmed", "sent"];

const CODE = `
  msg.topic = "MODE/" + msg.topic;
  msg.payload = { recordId: msg.energy.recordId, record: msg.payload };
  return msg;`;

describe(`a catch-up of ${HOURS} hours to a broker`, function () {
  this.timeout(240_000);
  let truth: HeldRecords;
  let broker: Daemon;
  let reader: MqttReader;
  let userDir: string;
  let runtime: Runtime;

  before(async function () {
    const program = needed(mosquitto, this);
    truth = await serviceHolding(HOURS);
    broker = await mosquittoDaemon(program);
  });
  after(() => truth?.service.close());

  beforeEach(async () => {
    await broker.start();
    reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "+/#", PERSISTENT);
    userDir = await installedPackage();
    runtime = await startRuntime(NODE_RED_4, {}, userDir);
    const tabs = MODES.map((mode) =>
      deliveryTab(
        mode,
        { mode, hours: truth.startHours },
        [codeNode(CODE.replace("MODE", mode)), slowNode(RECORDS_PER_SECOND)],
        mqttOut(),
      ),
    );
    await runtime.deploy([accountNode(truth.service.baseUrl), brokerNode(broker.port), ...tabs.flat()]);
  });
  afterEach(async () => {
    await runtime.stop();
    await reader.close();
    await broker.end();
  });

  const arrivals = (mode: DeliveryMode): Arrival[] =>
    reader.readings
      .filter(({ topic }) => topic.startsWith(`${mode}/`))
      .map(({ payload }) => JSON.parse(payload) as Arrival);
  const lost = (mode: DeliveryMode): number => tally(truth, arrivals(mode)).lost;

  /** Resolves when nothing has come for as long as a repetition takes. */
  async function silence(): Promise<void> {
    let count = -1;
    while (count !== reader.readings.length) {
      count = reader.readings.length;
      await pause(4000);
    }
  }

  async function complete(): Promise<void> {
    const open = (): string =>
      `${lost("confirmed")} records have not arrived:\n${runtime.output().slice(-2000)}`;
    await eventually(open, async () => lost("confirmed") === 0 || undefined, 90_000);
    await silence();
    for (const mode of MODES) console.log(tallyText(mode, tally(truth, arrivals(mode))));
  }

  it("brings every record, although the broker is stopped for 20 seconds and killed", async () => {
    await eventually(
      () => "nothing arrives",
      async () => reader.readings.length > 1000 || undefined,
    );
    await broker.end("SIGTERM");
    await pause(20_000);
    await broker.start();
    const before = reader.readings.length;
    await eventually(
      () => "nothing arrives any more",
      async () => reader.readings.length > before + 500 || undefined,
    );
    assert.notEqual(lost("confirmed"), 0, "the catch-up was over before the broker was killed");
    await broker.end("SIGKILL");
    await pause(1000);
    await broker.start();
    await complete();
  });

  it(`brings every record, although Node-RED is killed ${KILLS} times`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(200 + 1200 * noise(SEED, kill));
      assert.notEqual(lost("confirmed"), 0, `the catch-up was over before kill ${kill + 1}`);
      await runtime.kill();
      runtime = await startRuntime(NODE_RED_4, {}, userDir);
    }
    await complete();

    const { length } = arrivals("confirmed");
    await runtime.stop();
    runtime = await startRuntime(NODE_RED_4, {}, userDir);
    await silence();
    assert.equal(arrivals("confirmed").length, length, "what was confirmed came again");
  });
});
