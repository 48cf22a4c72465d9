// Tests for counters in Home Assistant: no dip when a meter glitches, and a real reset with the third record.
import assert from "node:assert/strict";
import type { MqttMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { MqttHome, SYSTEM } from "../../support/mqtt-home";
import { payloadUnder } from "../../support/mqtt-node";
import { temporaryFolder } from "../../support/temporary";

describe("mqtt readings for Home Assistant: counters", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  const counter = (lifetimeImportedEnergy: number | null): Promise<MqttMessage[]> => {
    mqtt.clock.setSystemTime(Date.now() + 5 * MINUTE);
    return mqtt.live({ grid: { lifetimeImportedEnergy, power: 1 } });
  };
  const states = (): (string | null)[] => mqtt.home.states(SYSTEM, "grid_lifetimeImportedEnergy");

  it("never show a glitch, but the record keeps the value of the service", async () => {
    await mqtt.start();
    await counter(5000);
    const messages = await counter(0);
    await counter(null);
    await counter(5001);
    assert.deepEqual(states(), ["5000", null, null, "5001"]);
    const record = payloadUnder(messages, "energy/home/a/live") as { grid: object };
    assert.deepEqual(record.grid, { lifetimeImportedEnergy: 0, power: 1 });
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["1", "1", "1", "1"]);
  });

  it("show a real reset with the third record", async () => {
    await mqtt.start();
    for (const value of [5000, 1, 2, 3, 4]) await counter(value);
    assert.deepEqual(states(), ["5000", null, null, "3", "4"]);
  });

  it("keep the last value and any unconfirmed reset across a restart", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    for (const value of [5000, 1, 2]) await counter(value);
    await mqtt.node.stop();
    await mqtt.start({}, { userDir });
    await counter(3);
    assert.deepEqual(states(), ["5000", null, null, "3"]);
  });
});
