// Tests for what is stored of alerts and devices: what must survive a crash at once, their state only now and then.
import assert from "node:assert/strict";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { readDevice } from "../../../src/mqtt/home-assistant/stored-devices";
import { StoredDevices } from "../../../src/mqtt/home-assistant/stored-devices";
import { MINUTE } from "../../../src/time-units";
import { GroupDouble } from "../../support/group-double";
import { PublisherHome, NOW } from "../../support/publisher-home";

const SITE = {
  siteId: "home",
  systems: [{ systemId: "a", devices: [{ deviceId: "b", deviceClass: "BATTERY", stateOfCharge: 50 }] }],
};
const [ALERTS, BATTERY] = ["energy__home_alerts", "energy__home__a__b"];

describe("stored alerts and devices", () => {
  let group: GroupDouble<Device>;
  let mqtt: PublisherHome;
  let stored: StoredDevices;

  beforeEach(() => {
    group = new GroupDouble();
    mqtt = new PublisherHome();
    stored = new StoredDevices(group);
  });

  /** What is written at once when everything is to be saved. */
  const saved = async (): Promise<string[]> => {
    const known = group.attempts.length;
    await stored.save(mqtt.publisher.devices);
    return group.attempts.slice(known);
  };

  it("are written when they are new, and when an alert or an entity is", async () => {
    mqtt.list([{ id: "1", siteId: "home" }]);
    mqtt.details(SITE);
    assert.deepEqual(await saved(), [ALERTS, BATTERY]);
    mqtt.list([{ id: "2", siteId: "home" }]);
    assert.deepEqual(await saved(), [ALERTS]);
    const [system] = SITE.systems;
    mqtt.details({
      ...SITE,
      systems: [{ ...system, devices: [{ ...system?.devices[0], moduleCount: 2 }] }],
    });
    assert.deepEqual(await saved(), [BATTERY]);
    mqtt.sites([{ siteId: "other" }]);
    assert.deepEqual(await saved(), [ALERTS, BATTERY]);
  });

  it("are otherwise written every 15 minutes at most, and when the node closes", async () => {
    mqtt.list([], "home");
    mqtt.details(SITE);
    await saved();
    mqtt.now += 5 * MINUTE;
    mqtt.list([], "home");
    mqtt.details(SITE);
    assert.deepEqual(await saved(), []);
    assert.deepEqual(
      [...group.waiting].map(([name, { within }]) => [name, Math.round(within / MINUTE)]),
      [ALERTS, BATTERY].map((name) => [name, 15]),
    );
    const known = group.attempts.length;
    await stored.flush();
    assert.deepEqual(group.attempts.slice(known), [ALERTS, BATTERY]);
    await stored.flush();
    assert.equal(group.attempts.length, known + 2);
  });

  it("can be read back, and lose their file when they are removed", async () => {
    mqtt.list([{ id: "1", siteId: "home", title: "x" }]);
    mqtt.details(SITE);
    await saved();
    const loaded = await stored.load();
    assert.deepEqual([...loaded], JSON.parse(JSON.stringify([...mqtt.publisher.devices].toSorted())));
    for (const device of group.states.values()) assert.equal(readDevice(device), device);
    await stored.save(new Map());
    assert.equal(group.states.size, 0);
  });

  it("are refused if they are damaged", () => {
    const alerts = {
      kind: "alerts",
      id: ALERTS,
      profile: { siteId: "home" },
      open: [{ alertKey: "1", severity: "LOW" }],
      asOf: NOW,
    };
    mqtt.details(SITE);
    const device = [...mqtt.publisher.devices.values()][0] as unknown as {
      profile: object;
      values: object;
    };
    const damaged: unknown[] = [
      null,
      {},
      [],
      { ...alerts, kind: "novelty" },
      { ...alerts, id: 5 },
      { ...alerts, profile: { siteId: 5 } },
      { ...alerts, open: {} },
      { ...alerts, open: [{ alertKey: "1", severity: 5 }] },
      { ...alerts, open: [{ alertKey: "1", severity: "LOW", title: 5 }] },
      { ...alerts, asOf: 1e20 },
      { ...alerts, absence: { since: "now", lists: 1 } },
      { ...device, profile: null },
      { ...device, asOf: null },
      { ...device, values: { stateOfCharge: 5 } },
      { ...device, values: { ...device.values, stateOfCharge: {} } },
      { ...device, profile: { ...device.profile, key: null } },
      { ...device, profile: { ...device.profile, fields: ["novelty"] } },
      { ...device, profile: { ...device.profile, systemId: 5 } },
    ];
    for (const one of [alerts, device]) assert.equal(readDevice(one), one);
    for (const one of damaged) assert.equal(readDevice(one), undefined, JSON.stringify(one));
  });
});
