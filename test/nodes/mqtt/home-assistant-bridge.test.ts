// Tests for error messages in mqtt readings: the last successful run, failing sites and the connection, as a device of the account.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { HOUR, MINUTE } from "../../../src/time-units";
import { BIRTH, isConfig, MqttHome } from "../../support/mqtt-home";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";
import { temporaryFolder } from "../../support/temporary";

const ACCOUNT = "energy";
const STATE = "energy/bridge/state";

/** A message as a catch node sends it. */
function failure(code: string, message: object = {}, kind = "telemetry"): NodeMessage {
  return {
    payload: 1,
    error: { message: "x", source: { id: "p" } },
    energy: { kind, error: { code } },
    ...message,
  };
}

describe("mqtt readings for Home Assistant: how reading goes", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  const present = (): unknown[] => {
    const { bridge_lastRun, bridge_failing, bridge_problem } = mqtt.home.present(ACCOUNT);
    return [bridge_lastRun, bridge_failing, bridge_problem];
  };
  const now = (): string => new Date().toISOString();

  it("is a device of the account from the first failure on: which sites fail, and since when", async () => {
    await mqtt.start();
    await mqtt.live();
    assert.equal(mqtt.home.deviceIds().includes(ACCOUNT), false);
    const sent = await mqtt.process(failure("ENERGY_HTTP", { siteId: "home", systemId: "a" }));
    assert.deepEqual(topics(sent), ["energy/availability", "homeassistant/device/energy/config", STATE]);
    assert.deepEqual(
      sent.map(({ retain }) => retain),
      [true, true, false],
    );
    assert.equal(mqtt.home.device(ACCOUNT).device.name, "Energy account");
    assert.deepEqual(present(), [null, "1", "OFF"]);
    assert.deepEqual(mqtt.home.attributes(ACCOUNT, "bridge_failing"), { sites: ["home"] });
    const components = Object.values(mqtt.home.device(ACCOUNT).components);
    assert.ok(components.every((one) => one["entity_category"] === "diagnostic"));
  });

  it("recovers a site with the same kind of message for it, and the connection with any", async () => {
    await mqtt.start();
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home", systemId: "a" }));
    await mqtt.process(failure("ENERGY_RESPONSE", { siteId: "home" }, "alerts"));
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "other" }));
    await mqtt.process(failure("ENERGY_NETWORK"));
    assert.deepEqual(present(), [null, "2", "ON"]);
    await mqtt.live();
    assert.deepEqual(present(), [now(), "2", "OFF"]);
    await mqtt.process({ payload: [], siteId: "home", energy: { kind: "alerts", alerts: [], count: 0 } });
    assert.deepEqual(present(), [now(), "1", "OFF"]);
    assert.deepEqual(mqtt.home.attributes(ACCOUNT, "bridge_failing"), { sites: ["other"] });
  });

  it("recovers a site that failed before its system was known, once there is a record of the system", async () => {
    await mqtt.start();
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home" }));
    assert.deepEqual(present(), [null, "1", "OFF"]);
    await mqtt.live();
    assert.deepEqual(present(), [now(), "0", "OFF"]);
  });

  it("is published when it changes, and the last run once a minute", async () => {
    await mqtt.start();
    await mqtt.process(failure("ENERGY_NETWORK"));
    await mqtt.advance(5000);
    const told = async (message: NodeMessage): Promise<boolean> =>
      topics(await mqtt.process(message)).includes(STATE);
    const record = (): NodeMessage => telemetry(recordAt(Date.now()));
    assert.deepEqual([await told(record()), await told(record())], [true, false]);
    await mqtt.advance(MINUTE);
    assert.deepEqual([await told(record()), await told(record())], [true, false]);
    assert.deepEqual(
      [await told(failure("ENERGY_TIMEOUT")), await told(failure("ENERGY_HTTP"))],
      [true, false],
    );
  });

  it("survives a restart, for the next start of Home Assistant", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home" }));
    await mqtt.node.stop();
    await mqtt.start({}, { userDir });
    assert.deepEqual(topics(await mqtt.process(BIRTH)).slice(1), [
      "homeassistant/device/energy/config",
      STATE,
    ]);
    assert.deepEqual(present(), [null, "1", "OFF"]);
    await mqtt.live();
    assert.deepEqual(present(), [now(), "0", "OFF"]);
  });

  it("still has a problem after a restart, until the service answers", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.process(failure("ENERGY_NETWORK"));
    await mqtt.node.stop();
    await mqtt.start({}, { userDir });
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home" }));
    assert.deepEqual(present(), [null, "1", "ON"]);
    await mqtt.live();
    assert.deepEqual(present(), [now(), "0", "OFF"]);
  });

  it("says nothing of faults that are not the service's, nor without discovery, nor fails by them", async () => {
    await mqtt.start();
    for (const [code, kind] of [
      ["ENERGY_INPUT", "telemetry"],
      ["ENERGY_INPUT", "mqtt"],
      ["ENERGY_STORE", "history"],
      ["ENERGY_HTTP", "threshold"],
    ] as const)
      assert.deepEqual(await mqtt.process(failure(code, { siteId: "home" }, kind)), []);
    await mqtt.node.stop();
    await mqtt.start({ discovery: false });
    assert.deepEqual(await mqtt.process(failure("ENERGY_NETWORK")), []);
    assert.deepEqual(mqtt.node.caughtSoFar(), []);
  });

  it("no longer counts a site that has been removed", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home" }));
    const others = { payload: [{ siteId: "other" }], energy: { kind: "site-list", count: 1 } };
    for (const hours of [12, 12, 1]) {
      await mqtt.process(others);
      assert.equal(present()[1], "1");
      await mqtt.advance(hours * HOUR);
    }
    await mqtt.process(others);
    assert.deepEqual(mqtt.home.deviceIds(), [ACCOUNT]);
    assert.equal(present()[1], "0");
  });

  it("no longer counts a site that has never been a device, once it is not listed", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "home" }));
    await mqtt.process(failure("ENERGY_HTTP", { siteId: "new" }));
    for (const [payload, sites] of [
      [{ siteId: "other" }, ["home", "new"]],
      [[{ siteId: "other" }], ["home"]],
    ] as const) {
      await mqtt.process({ payload, energy: { kind: "site-list", count: 1 } });
      await mqtt.process(failure("ENERGY_NETWORK"));
      assert.deepEqual(mqtt.home.attributes(ACCOUNT, "bridge_failing"), { sites });
    }
  });

  it("gives alerts of the account no entities that they have not had", async () => {
    await mqtt.start();
    await mqtt.process(failure("ENERGY_NETWORK"));
    const sent = await mqtt.process({ payload: [], energy: { kind: "alerts", alerts: [], count: 0 } });
    assert.deepEqual(sent.filter(isConfig), []);
  });
});
