// Tests for the devices of site info in Home Assistant: linked to their system, with the fields that have had a value.
import assert from "node:assert/strict";
import type { Device, Site } from "../../../src/models/site";
import { HOUR, MINUTE } from "../../../src/time-units";
import { cpuTime } from "../../support/cpu-time";
import { PublisherHome, NOW, topicsOf } from "../../support/publisher-home";

const BATTERY = "energy__home__a__bat-1";
const CONFIG = `homeassistant/device/${BATTERY}/config`;
const STATE = "energy/home/a/devices/bat-1/state";
const HEARD = new Date(NOW - 2 * MINUTE).toISOString();

const battery = (state: object = {}): Device => ({
  deviceId: "bat-1",
  deviceClass: "BATTERY",
  lastHeardAt: HEARD,
  stateOfCharge: 57.5,
  stateOfHealth: 98,
  moduleCount: 4,
  deviceState: null,
  enabledState: null,
  highestAlertSeverity: null,
  ...state,
});
const site = (...devices: Device[]): Site => ({ siteId: "home", systems: [{ systemId: "a", devices }] });

describe("devices of site info in Home Assistant", () => {
  let mqtt: PublisherHome;

  beforeEach(() => {
    mqtt = new PublisherHome();
  });

  const present = (id = BATTERY): Record<string, string | null | undefined> => mqtt.home.present(id);
  const names = (): string[] => mqtt.home.deviceIds().map((id) => mqtt.home.device(id).device.name);

  it("have an entity for each field that has had a value", () => {
    assert.deepEqual(topicsOf(mqtt.details(site(battery()))), [CONFIG, STATE]);
    assert.deepEqual(present(), {
      stateOfCharge: "57.5",
      stateOfHealth: "98",
      moduleCount: "4",
      lastHeardAt: HEARD,
    });
    mqtt.details(site(battery({ deviceState: "NEW_STATE", stateOfHealth: null })));
    assert.deepEqual([present()["deviceState"], present()["stateOfHealth"]], ["NEW_STATE", null]);
    assert.deepEqual(topicsOf(mqtt.details(site(battery()))), [STATE]);
  });

  it("are published once if both the system and the site list them", () => {
    const { deviceId, deviceClass } = battery();
    const listed = { ...site(battery()), devices: [{ deviceId, deviceClass }] };
    assert.deepEqual(topicsOf(mqtt.details(listed)), [CONFIG, STATE]);
    assert.equal(present()["stateOfCharge"], "57.5");
  });

  it("show percentages and texts that make sense, and null for the rest", () => {
    for (const [given, shown] of [
      [{ stateOfCharge: 0 }, "0"],
      [{ stateOfCharge: 100 }, "100"],
      [{ stateOfCharge: "42.5" }, "42.5"],
      [{ stateOfCharge: 100.1 }, null],
      [{ stateOfCharge: -1 }, null],
      [{ stateOfCharge: Number.NaN }, null],
      [{ stateOfCharge: [5] }, null],
      [{ stateOfCharge: " " }, null],
      [{ stateOfCharge: "0x10" }, null],
    ] as const) {
      mqtt.details(site(battery()));
      mqtt.details(site(battery(given)));
      assert.equal(present()["stateOfCharge"], shown, JSON.stringify(given));
    }
    const text = (deviceState: unknown): unknown => {
      mqtt.details(site(battery({ deviceState, highestAlertSeverity: "SEVERE" })));
      return present()["deviceState"];
    };
    assert.deepEqual([text("X".repeat(300)), text(3), text(false)], [`${"X".repeat(254)}…`, "3", "false"]);
    assert.equal(present()["highestAlertSeverity"], "SEVERE");
  });

  it("show no charge that is old: unheard of, or not reported for longer than readings stay fresh", () => {
    mqtt.details(site(battery({ lastHeardAt: new Date(NOW - 31 * MINUTE).toISOString() })));
    assert.equal(present()["stateOfCharge"], null);
    mqtt.details(site(battery()));
    assert.equal(present()["stateOfCharge"], "57.5");
    mqtt.now += 29 * MINUTE;
    mqtt.birth();
    assert.equal(present()["stateOfCharge"], null);
    assert.equal(present()["lastHeardAt"], HEARD);
  });

  for (const [form, heard] of Object.entries({
    seconds: (time: number) => time / 1000,
    milliseconds: (time: number) => time,
    "a text with a space": (time: number) => new Date(time).toISOString().replace("T", " "),
    "hours as offset": (time: number) => new Date(time).toISOString().replace("Z", "+00"),
  })) {
    it(`show no charge of three days ago, given in ${form}`, () => {
      mqtt.details(site(battery({ lastHeardAt: heard(NOW - 72 * HOUR) })));
      assert.equal(present()["stateOfCharge"], null);
      assert.equal(present()["lastHeardAt"], new Date(NOW - 72 * HOUR).toISOString());
    });
  }

  it("keep the time at which they were last heard, and show no charge that is as old", () => {
    mqtt.details(site(battery({ lastHeardAt: new Date(NOW - 31 * MINUTE).toISOString() })));
    mqtt.details(site(battery({ lastHeardAt: null })));
    assert.equal(present()["stateOfCharge"], null);
    assert.equal(present()["lastHeardAt"], new Date(NOW - 31 * MINUTE).toISOString());
  });

  it("take a time beyond any calendar for none", () => {
    mqtt.details(site(battery({ lastHeardAt: 1e300 })));
    assert.equal(present()["lastHeardAt"], undefined);
  });

  it("lose their charge by themselves when it becomes old, after a restart, too", () => {
    // Heard two minutes ago.
    mqtt.details(site(battery()));
    mqtt.after(5000);
    assert.equal(mqtt.publisher.nextDue(), Date.parse(HEARD) + 30 * MINUTE);
    mqtt.restart();
    assert.equal(mqtt.publisher.nextDue(), Date.parse(HEARD) + 30 * MINUTE);
    mqtt.after(30 * MINUTE);
    assert.equal(present()["stateOfCharge"], null);
    assert.equal(mqtt.publisher.nextDue(), Number.POSITIVE_INFINITY);
  });

  it("show a charge of unknown age for as long as it stays fresh from its arrival", () => {
    mqtt.details(site(battery({ lastHeardAt: "yesterday" })));
    mqtt.now += 29 * MINUTE;
    mqtt.birth();
    assert.equal(present()["stateOfCharge"], "57.5");
    mqtt.now += MINUTE;
    mqtt.birth();
    assert.equal(present()["stateOfCharge"], null);
  });

  it("show no charge that was heard in the future for longer than one of unknown age", () => {
    mqtt.details(site(battery({ lastHeardAt: new Date(NOW + HOUR).toISOString() })));
    mqtt.now += 30 * MINUTE;
    mqtt.birth();
    assert.equal(present()["stateOfCharge"], null);
  });

  it("are announced without delay, however many they are", () => {
    const many = Array.from({ length: 500 }, (_, index) => battery({ deviceId: `bat-${index}` }));
    const time = cpuTime(() => mqtt.publisher.updateEquipment(site(...many), NOW));
    assert.ok(time < 1200, String(time));
    assert.equal(mqtt.publisher.devices.size, many.length);
  });

  it("let the charge expire, and nothing else", () => {
    mqtt.details(site(battery()));
    const { components } = mqtt.home.device(BATTERY);
    const expiring = Object.keys(components).filter((key) => components[key]?.["expire_after"] !== undefined);
    assert.deepEqual(expiring, ["stateOfCharge"]);
    assert.equal(components["stateOfCharge"]?.["expire_after"], 1800);
  });

  it("are linked to the nearest device that Home Assistant knows, and with the next details to a nearer one", () => {
    const parent = (): string | undefined => mqtt.home.device(BATTERY).device.via_device;
    mqtt.details(site(battery()));
    assert.equal(parent(), undefined);
    mqtt.list([], "home");
    mqtt.details(site(battery()));
    assert.equal(parent(), "energy__home");
    mqtt.record("home", "a");
    mqtt.details(site(battery()));
    assert.equal(parent(), "energy__home__a");
    assert.equal(topicsOf(mqtt.details(site(battery()))).includes(CONFIG), false);
    mqtt.restart();
    mqtt.birth();
    assert.equal(parent(), "energy__home__a");
  });

  it("are named by class and serial number, or by id", () => {
    const device = { type: "meter", deviceId: "m", lastHeardAt: HEARD, serialNumber: "SN 1", model: "M2" };
    mqtt.details(
      site(device, { deviceId: "n", class: "Novelty", lastHeardAt: HEARD }, { id: 7, moduleCount: 1 }),
    );
    assert.deepEqual(names(), ["Meter SN 1", "Novelty n", "Device 7"]);
    const { model, serial_number } = mqtt.home.device("energy__home__a__m").device;
    assert.deepEqual([model, serial_number], ["M2", "SN 1"]);
    mqtt = new PublisherHome({ language: "de" });
    mqtt.details(site(battery()));
    assert.deepEqual(names(), ["Batterie bat-1"]);
  });

  it("without an id are numbered within their class, and collide with no id", () => {
    const charge = (stateOfCharge: number): Device => ({ deviceClass: "BATTERY", stateOfCharge });
    mqtt.details(
      site(
        charge(1),
        { ...charge(2), deviceId: "_nBATTERY_n1" },
        { deviceClass: "METER", deviceState: "ON" },
        charge(3),
      ),
    );
    assert.deepEqual(names(), ["Battery 1", "Battery _nBATTERY_n1", "Meter 1", "Battery 2"]);
    assert.deepEqual(
      [...mqtt.publisher.devices.keys()].map(
        (id) => mqtt.home.device(id).components["stateOfCharge"]?.state_topic,
      ),
      [
        "energy/home/a/devices/BATTERY/1/state",
        "energy/home/a/devices/_nBATTERY_n1/state",
        undefined,
        "energy/home/a/devices/BATTERY/2/state",
      ],
    );
    const ids = ["energy__home__a___nBATTERY_n1", "energy__home__a___nBATTERY_n2"];
    assert.deepEqual(
      ids.map((id) => present(id)["stateOfCharge"]),
      ["1", "3"],
    );
  });

  it("of a class that is not known have a name in words", () => {
    const devices = ["PC2_CONTROLLER", "FAN", "Heat_pump"].map((deviceClass) => ({
      deviceClass,
      deviceId: "d-1".concat(deviceClass),
      moduleCount: 1,
    }));
    mqtt.details({ siteId: "home", systems: [{ systemId: "a", devices }] });
    assert.deepEqual(names(), ["PC2 controller d-1PC2_CONTROLLER", "Fan d-1FAN", "Heat_pump d-1Heat_pump"]);
  });

  it("without id and class are numbered too, apart from a class of that name", () => {
    mqtt.details(
      site(
        { moduleCount: 1 },
        { deviceClass: "DEVICE", moduleCount: 2 },
        { deviceClass: "none", moduleCount: 3 },
      ),
    );
    const shown = mqtt.home.deviceIds().map((id) => present(id)["moduleCount"]);
    assert.deepEqual(shown, ["1", "2", "3"]);
    assert.deepEqual(names(), ["Device 1", "Device 2", "none 1"]);
  });

  it("of the site itself have an id apart from those of its systems", () => {
    const shared = { deviceId: "d", lastHeardAt: HEARD };
    mqtt.details({
      siteId: "home",
      devices: [{ ...shared, systemId: "b" }, shared],
      systems: [{ systemId: "a", devices: [{ ...shared }] }, { systemId: "b" }],
    });
    assert.deepEqual(mqtt.home.deviceIds(), [
      "energy__home__a__d",
      "energy__home__b__d",
      "energy__home____d",
    ]);
  });

  it("are known by the group that lists them", () => {
    mqtt.details({
      siteId: "home",
      systems: [{ systemId: "a", devices: { batteries: [{ id: "x", stateOfCharge: 1 }] } as never }],
    });
    assert.deepEqual(names(), ["Battery x"]);
  });

  it("without any value have no entity, and appear with the first one", () => {
    assert.deepEqual(topicsOf(mqtt.details(site({ deviceId: "bat-1" }))), []);
    mqtt.details(site(battery()));
    assert.deepEqual(mqtt.home.deviceIds(), [BATTERY]);
    mqtt.restart();
    mqtt.details(site({ deviceId: "bat-1" }));
    assert.equal("stateOfCharge" in present(), true);
  });

  it("survive a restart, and are announced again when Home Assistant starts, with their state after 5 seconds", () => {
    mqtt.details(site(battery()));
    mqtt.restart();
    assert.deepEqual(topicsOf(mqtt.birth()), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(mqtt.after(5000)), [STATE]);
  });

  it("stay when they are no longer listed, and go with their system", () => {
    mqtt.details(site(battery()));
    mqtt.details(site());
    assert.deepEqual(mqtt.home.deviceIds(), [BATTERY]);
    const others = [{ siteId: "home", systems: [{ systemId: "b" }] }];
    mqtt.sites(others);
    mqtt.sites(others);
    mqtt.now += 24 * HOUR;
    const removed = mqtt.sites(others);
    assert.deepEqual(removed, [{ topic: CONFIG, payload: "", retain: true }]);
    assert.equal(mqtt.publisher.devices.size, 0);
    assert.deepEqual(mqtt.birth(), removed);
  });

  it("teach the name of their site", () => {
    mqtt.record("home", "a");
    mqtt.details({ ...site(battery()), siteName: "Roof" });
    assert.equal(mqtt.home.device("energy__home").device.name, "Roof");
  });
});
