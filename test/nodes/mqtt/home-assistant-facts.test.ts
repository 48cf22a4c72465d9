// Tests for alerts and site info wired into mqtt readings: Home Assistant shows alerts and devices of the simulated service.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import helper from "node-red-node-test-helper";
import sinon from "sinon";
import { sharedClock } from "../../../src/clock";
import type { MqttMessage } from "../../../src/messages/messages";
import { HomeAssistant } from "../../support/home-assistant";
import { BIRTH } from "../../support/mqtt-home";
import { type MqttNode, recordAt, startMqtt, telemetry, topics } from "../../support/mqtt-node";
import { startService, type TestService } from "../../support/service";
import { temporaryFolder } from "../../support/temporary";

const SITE = "energy__demo-twin";
const BATTERY = "energy__demo-twin__demo-twin-a__demo-twin-a-battery-1";
const ALERT = { id: "x", siteId: "demo-twin", severity: "HIGH", title: "Too hot" };

describe("mqtt readings for Home Assistant: alerts and site info", () => {
  let service: TestService;
  let node: MqttNode;
  let home: HomeAssistant;
  let userDir: string;

  beforeEach(async () => {
    service = await startService();
    home = new HomeAssistant();
    userDir = temporaryFolder();
  });
  afterEach(async () => {
    sinon.restore();
    await node.stop();
    await service.close();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    const shared = { z: "tab", name: "", account: "the-account", wires: [["node-under-test"]] };
    const others = [
      { ...shared, id: "the-changes", type: "energy-alerts", scope: "account", output: "changes" },
      { ...shared, id: "the-list", type: "energy-alerts", scope: "account", output: "list" },
      {
        ...shared,
        id: "the-site-alerts",
        type: "energy-alerts",
        scope: "site",
        siteId: "demo-twin",
        output: "list",
      },
      { ...shared, id: "the-info", type: "energy-site-info", siteId: "demo-twin", siteIdType: "str" },
    ];
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startMqtt(properties, { account, others, userDir });
  };
  /** Runs a node that is wired to mqtt readings, which then completes this many messages. */
  const run = async (id: string, count = 1): Promise<MqttMessage[]> => {
    helper.getNode(id).receive({});
    for (let completed = 0; completed < count; completed++) await node.completed();
    return received();
  };
  const received = (): MqttMessage[] => {
    const messages = node.newMessages();
    home.receive(messages);
    return messages;
  };
  /** Waits for so many events in all, which come one after another. */
  const events = async (count: number): Promise<unknown[]> => {
    while (home.states(SITE, "alerts_event").length < count) {
      await node.output();
      received();
    }
    return home.states(SITE, "alerts_event");
  };
  const serveAlerts = (...data: object[]): void => {
    service.clearFaults();
    service.fault({ path: /alerts/, body: { data }, times: 100 });
  };
  const open = (): unknown => home.present(SITE)["alerts_open"];

  it("show the changes of alerts as events, and count what is open", async () => {
    await start();
    serveAlerts(ALERT, { ...ALERT, id: "y", severity: "LOW" });
    await run("the-list");
    // By then, Home Assistant has subscribed to the events of the site.
    const now = sharedClock.now.bind(sharedClock);
    sinon.stub(sharedClock, "now").callsFake(() => now() + 5000);
    await run("the-changes", 2);
    assert.deepEqual(await events(2), ["raised", "raised"]);
    assert.deepEqual([open(), home.present(SITE)["alerts_severity"]], ["2", "HIGH"]);
    serveAlerts({ ...ALERT, severity: "MEDIUM" });
    await run("the-changes");
    await run("the-changes");
    assert.deepEqual((await events(4)).slice(2), ["changed", "cleared"]);
    assert.deepEqual([open(), home.present(SITE)["alerts_severity"]], ["1", "MEDIUM"]);
    assert.equal(node.statuses().at(-1), "1 device");
  });

  it("show lists of alerts, of the account and of one site", async () => {
    await start();
    serveAlerts(ALERT, { ...ALERT, id: "over", status: "CLOSED" });
    const messages = await run("the-list");
    assert.deepEqual(topics(messages), [
      "energy/availability",
      `homeassistant/device/${SITE}/config`,
      "energy/demo-twin/site/alerts/state",
    ]);
    assert.ok(messages.every(({ qos, energy }) => qos === 1 && energy.kind === "mqtt"));
    assert.deepEqual(
      messages.map(({ retain }) => retain),
      [true, true, false],
    );
    assert.equal(open(), "1");
    serveAlerts();
    await run("the-site-alerts");
    assert.equal(open(), "0");
  });

  it("show the devices of site info, and their charge", async () => {
    await start();
    await run("the-info");
    assert.equal(home.device(BATTERY).device.name, "Battery demo-twin-a-battery-1");
    const { stateOfCharge, stateOfHealth, moduleCount, lastHeardAt } = home.present(BATTERY);
    assert.ok(Number(stateOfCharge) > 0 && Number(moduleCount) > 0);
    assert.equal(stateOfHealth, "98");
    assert.ok(Date.now() - Date.parse(lastHeardAt ?? "") < 120_000);
    assert.ok(home.deviceIds().length > 5);
  });

  it("remember both over a restart, for the next start of Home Assistant", async () => {
    await start();
    serveAlerts(ALERT);
    await run("the-list");
    await run("the-info");
    await node.process({ ...telemetry(recordAt(Date.now())), siteId: "demo-twin", systemId: "demo-twin-a" });
    await node.stop();
    await start();
    home = new HomeAssistant();
    const messages = await node.process(BIRTH);
    assert.doesNotMatch(node.logged(), /damaged/);
    home.receive(messages);
    assert.equal(open(), "1");
    assert.equal(home.device(BATTERY).device.via_device, `${SITE}__demo-twin-a`);
    assert.ok(Number(home.present(BATTERY)["stateOfCharge"]) > 0);
  });

  it("are accepted without discovery, and nothing is published or stored", async () => {
    await start({ discovery: false });
    serveAlerts(ALERT);
    for (const id of ["the-list", "the-site-alerts", "the-info"]) assert.deepEqual(await run(id), []);
    assert.deepEqual(await run("the-changes"), []);
    assert.deepEqual(node.caughtSoFar(), []);
    assert.deepEqual(received(), []);
    await node.stop();
    // That of the alerts node itself.
    assert.equal(readdirSync(join(userDir, "energy-sites")).length, 1);
  });

  it("are refused when they are about no valid site", async () => {
    await start();
    const { code, sent } = await node.rejection({
      payload: [],
      siteId: 5,
      energy: { kind: "alerts", count: 0, alerts: [] },
    });
    assert.deepEqual([code, sent], ["ENERGY_INPUT", 0]);
  });
});
