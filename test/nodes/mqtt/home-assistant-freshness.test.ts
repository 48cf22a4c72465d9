// Tests for states in Home Assistant: published only while fresh, and a stale device is reported.
import assert from "node:assert/strict";
import { sharedClock } from "../../../src/clock";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import { HomeAssistant } from "../../support/home-assistant";
import { BIRTH, CONFIGS, END, MqttHome, NOW, SITE, SYSTEM } from "../../support/mqtt-home";
import { jump } from "../../support/passing-time";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";

describe("mqtt readings for Home Assistant: only fresh readings", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  it("publishes the device for backlog, but no state", async () => {
    await mqtt.start();
    await mqtt.process(telemetry(recordAt(END), { phase: "catchup" }));
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), []);
  });

  it("reports a device as stale if it has sent only backlog", async () => {
    await mqtt.start();
    await mqtt.process(telemetry(recordAt(END), { phase: "catchup" }));
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale"), ["ON"]);
  });

  it("publishes no state for a live record that is too old", async () => {
    await mqtt.start();
    const messages = await mqtt.process(telemetry(recordAt(NOW - 30 * MINUTE)));
    assert.ok(topics(messages).every((topic) => !topic.includes("/state/")));
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale"), ["ON"]);
  });

  it("publishes a live record older than that as backlog, with its phase unchanged", async () => {
    await mqtt.start();
    const messages = await mqtt.process(telemetry(recordAt(NOW - 31 * MINUTE)));
    const message = messages.at(-1);
    assert.equal(message?.topic, "energy/home/a/backlog");
    assert.equal(topics(messages).includes("energy/home/a/live"), false);
    assert.deepEqual(message?.energy, { kind: "mqtt", phase: "live", recordId: "id", cursor: "c" });
  });

  it("publishes no state for a record that is older than the last", async () => {
    await mqtt.start();
    await mqtt.live({ grid: { power: 1 } });
    const messages = await mqtt.process(telemetry(recordAt(NOW - 5 * MINUTE, { grid: { power: 3 } })));
    assert.deepEqual(topics(messages), ["energy/home/a/live"]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["1"]);
  });

  it("retains discovery and availability, but never a state", async () => {
    await mqtt.start();
    const retained = (await mqtt.live()).filter(({ retain }) => retain);
    assert.deepEqual(topics(retained), [
      "energy/availability",
      CONFIGS[0],
      "energy/home/site/availability",
      CONFIGS[1],
      "energy/home/a/availability",
    ]);
  });

  it("says with a record that readings are published, and that it is online, only now and then", async () => {
    await mqtt.start();
    await mqtt.live();
    assert.deepEqual(topics(await mqtt.live()), ["energy/home/a/state/telemetry", "energy/home/a/live"]);
    await mqtt.advance(2 * MINUTE);
    assert.equal(topics(await mqtt.live())[0], "energy/availability");
  });

  it("repeats the state of a new device once Home Assistant has subscribed", async () => {
    await mqtt.start();
    await mqtt.live();
    assert.deepEqual(topics(await mqtt.advance(5000)), [
      "energy/availability",
      "energy/home/site/availability",
      "energy/home/site/stale",
      "energy/home/a/availability",
      "energy/home/a/stale",
      "energy/home/a/state/telemetry",
    ]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["120.5", "120.5"]);
    assert.deepEqual(await mqtt.advance(20 * MINUTE), []);
  });

  it("ends what an old record says, though records of the meter keep its device online", async () => {
    await mqtt.start();
    const meter = (): object => ({ ...recordAt(Date.now(), {}), grid: undefined, rgm: { power: 5 } });
    await mqtt.process(telemetry(meter(), { kind: "rgm" }));
    await mqtt.live();
    await mqtt.advance(29 * MINUTE);
    await mqtt.process(telemetry(meter(), { kind: "rgm" }));
    // Home Assistant shows it for as long as if it had just been measured.
    await mqtt.process(BIRTH);
    await mqtt.advance(MINUTE);
    const { stale, grid_power: power, rgm_power: metered } = mqtt.home.present(SYSTEM);
    assert.deepEqual([stale, power, metered], ["OFF", null, "5"]);
    // The broker may have missed it.
    mqtt.home = new HomeAssistant();
    await mqtt.process(BIRTH);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), [null]);
  });

  it("ends what a record says also if the first one of the meter came after it", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.advance(29 * MINUTE);
    const meter = { ...recordAt(Date.now(), {}), grid: undefined, rgm: { power: 5 } };
    await mqtt.process(telemetry(meter, { kind: "rgm" }));
    await mqtt.advance(MINUTE);
    const { stale, grid_power: power, rgm_power: metered } = mqtt.home.present(SYSTEM);
    assert.deepEqual([stale, power, metered], ["OFF", null, "5"]);
  });

  it("reports a device as stale once its last record is too old, repeatedly, until it sends a fresh one", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.advance(5000);
    assert.deepEqual(await mqtt.advance(30 * MINUTE - 5001), []);
    const messages = await mqtt.advance(1);
    assert.deepEqual(topics(messages), [
      "energy/availability",
      "energy/home/site/availability",
      "energy/home/site/stale",
      "energy/home/a/availability",
      "energy/home/a/stale",
    ]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
    assert.deepEqual(messages[0]?.energy, { kind: "mqtt" });
    assert.equal((await mqtt.advance(30 * MINUTE)).length, 5);
    await mqtt.live();
    assert.deepEqual(mqtt.home.states(SYSTEM, "stale").slice(-3), ["ON", "ON", "OFF"]);
    assert.deepEqual(mqtt.home.states(SITE, "stale").at(-1), "OFF");
  });

  for (const difference of [5 * MINUTE, -DAY])
    it(`reports what it knew as stale when the clock is set by ${difference / MINUTE} min, until a record comes`, async () => {
      await mqtt.start();
      await mqtt.live();
      await mqtt.advance(5000);
      jump(mqtt.clock, difference);
      const messages = await mqtt.advance(5000);
      assert.deepEqual(
        messages.filter(({ retain }) => retain).map(({ topic, payload }) => `${topic} ${payload}`),
        [
          "energy/availability online",
          "energy/home/site/availability offline",
          "energy/home/a/availability offline",
        ],
      );
      assert.equal(
        (await mqtt.process(BIRTH)).some(({ topic }) => /\/(state|live)\b/.test(topic)),
        false,
      );
      await mqtt.live({ grid: { power: 7, lifetimeImportedEnergy: 5001 } });
      const { stale, grid_power: power, grid_lifetimeImportedEnergy: imported } = mqtt.home.present(SYSTEM);
      assert.deepEqual([stale, power, imported], ["OFF", "7", "5001"]);
      await mqtt.advance(30 * MINUTE);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
    });

  it("keeps a site fresh while one of its systems is", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.advance(20 * MINUTE);
    await mqtt.process({ ...telemetry(recordAt(Date.now())), systemId: "b" });
    await mqtt.advance(15 * MINUTE);
    assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
    assert.equal(mqtt.home.states("energy__home__b", "stale").at(-1), "OFF");
    assert.equal(mqtt.home.states(SITE, "stale").at(-1), "OFF");
  });

  for (const [name, by] of [
    ["sleeps for a few minutes", 10 * MINUTE],
    ["has its clock set back", -2 * HOUR],
  ] as const)
    it(`without an account, reports what came before as stale when the machine ${name}, and goes on with what comes after`, async () => {
      await mqtt.start();
      await mqtt.live();
      await mqtt.advance(5000);
      jump(mqtt.clock, by);
      const messages = await mqtt.advance(5000);
      const ofSite = ["energy/home/site/availability offline", "energy/home/site/stale ON"];
      const ofSystem = ["energy/home/a/availability offline", "energy/home/a/stale ON"];
      const sent = messages.map(({ topic, payload }) => `${topic} ${payload}`);
      assert.deepEqual(sent, ["energy/availability online", ...ofSite, ...ofSystem]);
      await mqtt.node.redeploy();
      assert.deepEqual(mqtt.node.newMessages(), []);
      await mqtt.advance(5000);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
      await mqtt.live({ grid: { power: 7 } });
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
      assert.equal(mqtt.home.states(SYSTEM, "grid_power").at(-1), "7");
      await mqtt.advance(29 * MINUTE);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
    });

  describe("with an account", () => {
    let source: ReturnType<typeof sharedClock.open>;
    const confirm = (by = 0): void => source.observe([Date.now() + by], sharedClock.monotonic());

    beforeEach(async () => {
      source = sharedClock.open();
      confirm();
      await mqtt.start();
      await mqtt.live();
    });
    afterEach(() => source.close());

    it("reports a device as stale once its record can have run out after a sleep, without a response", async () => {
      await mqtt.advance(5000);
      jump(mqtt.clock, 10 * MINUTE);
      assert.deepEqual(await mqtt.advance(15 * MINUTE), []);
      await mqtt.advance(6 * MINUTE);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
      assert.deepEqual(await mqtt.advance(HOUR), []);
      confirm();
      await mqtt.live();
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
    });

    it("takes back that a device is stale if the clock was only set wrong", async () => {
      await mqtt.advance(5000);
      jump(mqtt.clock, 9 * HOUR);
      await mqtt.advance(5000);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
      for (let count = 0; count < 2; count += 1) confirm(-9 * HOUR);
      await mqtt.advance(5000);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
    });

    it("reports a device as stale in time although it was started with a clock that was ahead", async () => {
      await mqtt.advance(5000);
      jump(mqtt.clock, DAY);
      await mqtt.node.redeploy();
      // Done once the devices are loaded.
      await mqtt.process({ ...BIRTH, payload: "offline" });
      for (let count = 0; count < 2; count += 1) confirm(-DAY);
      await mqtt.advance(5000);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
      await mqtt.advance(30 * MINUTE);
      assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "ON");
    });

    it("does not report a device as stale at a start while records of another one come first", async () => {
      jump(mqtt.clock, HOUR);
      await mqtt.node.redeploy();
      await mqtt.process({ ...BIRTH, payload: "offline" });
      confirm();
      await mqtt.process({ ...telemetry(recordAt(Date.now())), systemId: "b" });
      await mqtt.advance(1000);
      await mqtt.live();
      await mqtt.advance(10_000);
      assert.equal(mqtt.home.states(SYSTEM, "stale").includes("ON"), false);
    });
  });

  it("without an account, goes by a record that comes between a jump and the next look at the clock", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.advance(5000);
    jump(mqtt.clock, 10 * MINUTE);
    await mqtt.live();
    await mqtt.advance(5000);
    assert.equal(mqtt.home.states(SYSTEM, "stale").at(-1), "OFF");
  });

  it("leaves its devices offline when it is removed, but not when it is restarted", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.node.redeploy();
    assert.deepEqual(mqtt.node.newMessages(), []);
    await mqtt.live();
    await mqtt.node.remove();
    assert.deepEqual(
      mqtt.node.newMessages().map(({ topic, payload }) => `${topic} ${payload}`),
      [
        "energy/availability offline",
        "energy/home/site/availability offline",
        "energy/home/site/stale ON",
        "energy/home/a/availability offline",
        "energy/home/a/stale ON",
      ],
    );
  });

  it("leaves nothing behind when stopped", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.node.stop();
    assert.equal(mqtt.clock.countTimers(), 0);
  });
});
