// Tests for what is stored of alerts and devices: what must survive a crash at once, their state only now and then.
import assert from "node:assert/strict";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { readDevice } from "../../../src/mqtt/home-assistant/device-table";
import { HOUR, MINUTE } from "../../../src/time-units";
import { GroupDouble } from "../../support/group-double";
import { PublisherHome } from "../../support/publisher-home";

const SITE = {
  siteId: "home",
  systems: [{ systemId: "a", devices: [{ deviceId: "b", deviceClass: "BATTERY", stateOfCharge: 50 }] }],
};
const [ALERTS, BATTERY] = ["energy__home", "energy__home__a__b"];

describe("stored alerts and devices", () => {
  let group: GroupDouble<Device>;
  let mqtt: PublisherHome;

  beforeEach(() => {
    group = new GroupDouble();
    mqtt = new PublisherHome({}, group);
  });

  /** What is written at once when everything is to be saved. */
  const saved = async (): Promise<string[]> => {
    const known = group.attempts.length;
    await mqtt.publisher.table.save();
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
    await mqtt.publisher.table.flush();
    assert.deepEqual(group.attempts.slice(known), [ALERTS, BATTERY]);
    await mqtt.publisher.table.flush();
    assert.equal(group.attempts.length, known + 2);
  });

  it("can be read back, and lose their file when they are removed", async () => {
    mqtt.list([{ id: "1", siteId: "home", title: "x" }]);
    mqtt.details(SITE);
    await saved();
    assert.deepEqual([...group.states], JSON.parse(JSON.stringify([...mqtt.publisher.devices])));
    for (const device of group.states.values()) assert.equal(readDevice(device), device);
    for (const device of group.states.values())
      for (const odd of [{ siteId: null }, { siteId: 7 }, { systemId: null }])
        assert.equal(readDevice({ ...device, profile: { ...device.profile, ...odd } }), undefined);
    for (const hours of [0, 0, 24]) {
      mqtt.now += hours * HOUR;
      mqtt.sites([{ siteId: "other" }]);
    }
    await saved();
    assert.equal(group.states.size, 0);
  });
});
