// Tests for the birth message of Home Assistant: every device is published again, but only fresh states.
import assert from "node:assert/strict";
import type { MqttMessage } from "../../../src/messages/messages";
import { DAY, MINUTE } from "../../../src/time-units";
import { HomeAssistant } from "../../support/home-assistant";
import { BIRTH, CONFIGS, END, MqttHome, NOW, SITE, SYSTEM } from "../../support/mqtt-home";
import { payloadUnder, recordAt, telemetry, topics } from "../../support/mqtt-node";
import { temporaryFolder } from "../../support/temporary";

const payloads = (messages: MqttMessage[]): string[] => messages.map(({ payload }) => payload);

describe("mqtt readings for Home Assistant: birth of Home Assistant", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  for (const [name, payload] of [
    ["text", "online"],
    ["a buffer", Buffer.from("online")],
  ] as const) {
    it(`publishes every device again, each followed by its last fresh record (${name})`, async () => {
      await mqtt.start();
      await mqtt.process(telemetry(recordAt(END), { delivery: "d-1" }));
      const messages = await mqtt.node.process({ ...BIRTH, payload });
      assert.deepEqual(topics(messages), [
        "energy/availability",
        CONFIGS[0],
        "energy/home/site/availability",
        "energy/home/site/stale",
        CONFIGS[1],
        "energy/home/a/availability",
        "energy/home/a/stale",
        "energy/home/a/state/telemetry",
        "energy/home/a/live",
      ]);
      mqtt.home = new HomeAssistant();
      mqtt.home.receive(messages);
      assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["120.5"]);
      assert.deepEqual(payloadUnder(messages, "energy/home/a/live"), recordAt(END));
      assert.ok(messages.every(({ energy, qos }) => energy.delivery === undefined && qos === 1));
      assert.equal(mqtt.node.statuses().at(-1), "2 devices");
    });
  }

  it("publishes the last record as it came, whatever other nodes make of its message", async () => {
    await mqtt.start();
    const record = recordAt(END, { grid: { power: 1 } });
    const message = telemetry(record);
    await mqtt.process(message);
    Object.assign(record, { grid: { power: 2 } });
    Object.assign(Object(message.payload), { solar: { power: 3 } });
    const messages = await mqtt.process(BIRTH);
    assert.deepEqual(payloadUnder(messages, "energy/home/a/live"), recordAt(END, { grid: { power: 1 } }));
  });

  it("publishes no record that is over a week old, whatever it says of itself", async () => {
    await mqtt.start();
    await mqtt.process(telemetry(recordAt(END), { validUntil: "9999-01-01T00:00:00Z" }));
    mqtt.clock.setSystemTime(NOW + 8 * DAY);
    await mqtt.advance(31 * MINUTE);
    const messages = await mqtt.process(BIRTH);
    assert.equal(topics(messages).includes("energy/home/a/live"), false);
    assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
  });

  it("publishes no record that is no longer fresh", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.advance(31 * MINUTE);
    const messages = await mqtt.process(BIRTH);
    assert.deepEqual(
      topics(messages).filter((topic) => !CONFIGS.includes(topic)),
      [
        "energy/availability",
        "energy/home/site/availability",
        "energy/home/site/stale",
        "energy/home/a/availability",
        "energy/home/a/stale",
      ],
    );
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
  });

  it("publishes the devices after a restart, each followed by its last record if that is still fresh", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.live();
    await mqtt.node.stop();
    mqtt.home = new HomeAssistant();
    await mqtt.advance(10 * MINUTE);
    await mqtt.start({}, { userDir });
    const messages = await mqtt.process(BIRTH);
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["120.5"]);
    assert.deepEqual(payloadUnder(messages, "energy/home/a/live"), recordAt(NOW));
  });

  it("publishes the devices after a long stop, but no old state", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.live();
    await mqtt.node.stop();
    mqtt.home = new HomeAssistant();
    await mqtt.clock.tickAsync(30 * MINUTE);
    await mqtt.start({}, { userDir });
    const messages = await mqtt.process(BIRTH);
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
    assert.ok(messages.every(({ topic }) => !/\/(live|state)\b/.test(topic)));
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale"), ["ON"]);
    await mqtt.live();
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["120.5"]);
  });

  it("reports a device as stale after a restart if it sends no more records", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.live();
    await mqtt.advance(5000);
    await mqtt.node.stop();
    await mqtt.start({}, { userDir });
    // By then, the node has loaded its known devices.
    await mqtt.process({ ...BIRTH, payload: "offline" });
    assert.deepEqual(payloads(await mqtt.advance(5000)), ["online", "online", "OFF", "online", "OFF"]);
    assert.deepEqual(await mqtt.advance(30 * MINUTE - 10_001), []);
    assert.deepEqual(payloads(await mqtt.advance(1)), ["online", "offline", "ON", "offline", "ON"]);
  });

  it("answers only once in 10 s, and the last birth always", async () => {
    await mqtt.start();
    await mqtt.live();
    const isAnswer = (messages: MqttMessage[]): boolean => topics(messages).includes(CONFIGS[0] ?? "");
    assert.equal(isAnswer(await mqtt.process(BIRTH)), true);
    for (let time = 0; time < 50; time++) assert.deepEqual(await mqtt.process(BIRTH), []);
    assert.equal(isAnswer(await mqtt.advance(9999)), false);
    const [answer, rest] = [await mqtt.advance(1), await mqtt.advance(20_000)];
    assert.deepEqual([isAnswer(answer), isAnswer(rest)], [true, false]);
    assert.equal(isAnswer(await mqtt.process(BIRTH)), true);
  });

  it("ignores everything else: offline, and the same payload under another topic", async () => {
    await mqtt.start();
    await mqtt.live();
    assert.deepEqual(await mqtt.node.process({ ...BIRTH, payload: "offline" }), []);
    assert.equal((await mqtt.node.rejection({ ...BIRTH, topic: "other/status" })).code, "ENERGY_INPUT");
  });
});
