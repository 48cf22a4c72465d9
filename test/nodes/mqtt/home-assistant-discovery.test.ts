// Tests for discovery: devices are published once, before their states, and again if the broker may have missed them.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { MINUTE } from "../../../src/time-units";
import { FULL, FULL_STATES } from "../../support/full-record";
import { HomeAssistant } from "../../support/home-assistant";
import { BIRTH, CONFIGS, END, isConfig, MqttHome, NOW, SITE, SYSTEM } from "../../support/mqtt-home";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";

describe("mqtt readings for Home Assistant: discovery", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  it("is published once, before the state: the site, then its system, both retained", async () => {
    await mqtt.start();
    assert.deepEqual(topics(await mqtt.process(telemetry(recordAt(END)))), [
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
    assert.equal(mqtt.home.device(SYSTEM).device.via_device, SITE);
    assert.equal((await mqtt.process(telemetry(recordAt(END)))).some(isConfig), false);
  });

  it("is published again with a resent delivery, because the broker may not have received it", async () => {
    await mqtt.start();
    // A message is completed without its id.
    const first = (): NodeMessage => telemetry(recordAt(END), { delivery: "d1" });
    const configs = async (message: NodeMessage): Promise<string[]> =>
      topics((await mqtt.process(message)).filter(isConfig));
    assert.deepEqual(await configs(first()), CONFIGS);
    assert.deepEqual(await configs(telemetry(recordAt(END), { delivery: "d2" })), []);
    assert.deepEqual(await configs(first()), CONFIGS);
    const records = [recordAt(END - 10 * MINUTE), recordAt(END)];
    assert.deepEqual(await configs({ ...first(), payload: records }), CONFIGS);
  });

  it("uses the prefixes and the expiry of the node", async () => {
    mqtt.home = new HomeAssistant("ha/test");
    await mqtt.start({ prefix: "my/power", discoveryPrefix: "ha/test", expireAfter: 900.5, qos: 0 });
    await mqtt.live();
    const config = mqtt.home.device("my_2fpower__home__a");
    const component = config.components["grid_power"];
    assert.deepEqual([component?.["qos"], component?.["expire_after"]], [0, 901]);
    assert.deepEqual(mqtt.home.states("my_2fpower__home__a", "grid_power"), ["120.5"]);
  });

  it("publishes no devices when discovery is off", async () => {
    await mqtt.start({ discovery: false });
    assert.deepEqual(topics(await mqtt.live()), ["energy/home/a/live"]);
    assert.deepEqual(await mqtt.node.process(BIRTH), []);
    await mqtt.clock.tickAsync(120 * MINUTE);
    assert.deepEqual(mqtt.node.newMessages(), []);
  });

  for (const layout of ["json", "values"]) {
    it(`serves the same entities in layout ${layout}`, async () => {
      await mqtt.start({ layout });
      await mqtt.live(FULL);
      const telemetry_endTime = new Date(NOW).toISOString();
      assert.deepEqual(mqtt.home.present(SYSTEM), { ...FULL_STATES, telemetry_endTime });
    });
  }
});
