// Tests for reading a site, its systems and its devices, even if fields are missing or in another place.
import assert from "node:assert/strict";
import type { Device, Site } from "../../src/models/site";
import {
  deviceClassOf,
  deviceStateOf,
  devicesOf,
  generationOf,
  generationsOf,
  groupedDevicesBySystem,
  groupedDevicesOf,
  hasMeter,
  siteIdOf,
  systemIdOf,
  systemIdsOf,
  systemsOf,
} from "../../src/models/site-reader";
import { cpuTime } from "../support/cpu-time";

const METER: Device = { deviceId: "m", deviceClass: "METER" };
const BATTERY: Device = { deviceId: "b", deviceClass: "BATTERY" };

describe("site reader", () => {
  it("reads ids under either name", () => {
    assert.equal(siteIdOf({ siteId: "a", id: "7" }), "a");
    assert.equal(siteIdOf(JSON.parse('{"id": "a"}') as Site), "a");
    assert.equal(systemIdOf({ systemId: "s", id: "7" }), "s");
    assert.equal(systemIdOf({ id: "s" }), "s");
    assert.equal(systemIdOf({}), undefined);
  });

  it("returns system ids and generations in order, each generation once", () => {
    const systems = [
      { systemId: "1", systemGeneration: "PC2" },
      { systemId: "2", systemGeneration: "MICRO" },
      { systemGeneration: "PC2" },
      { systemId: "4", systemGeneration: undefined },
    ];
    assert.deepEqual(systemIdsOf({ siteId: "a", systems }), ["1", "2", "4"]);
    assert.deepEqual(generationsOf({ siteId: "a", systems }), ["PC2", "MICRO"]);
  });

  it("passes on an unknown generation, and invents none", () => {
    assert.equal(generationOf({ systemGeneration: "PC3" }), "PC3");
    assert.equal(generationOf({}), undefined);
  });

  for (const systems of [undefined, null, []]) {
    it(`treats systems of ${JSON.stringify(systems)} as none`, () => {
      assert.deepEqual(systemsOf({ siteId: "a", systems }), []);
      assert.deepEqual(devicesOf({ siteId: "a", systems }), []);
      assert.equal(hasMeter({ siteId: "a", systems }), false);
    });
  }

  for (const field of ["devices", "deviceList", "equipment", "components"]) {
    it(`finds devices in ${field} of a system and of the site`, () => {
      assert.deepEqual(devicesOf({ siteId: "a", systems: [{ systemId: "s", [field]: [METER] }] }), [METER]);
      assert.deepEqual(devicesOf({ siteId: "a", [field]: [METER] }), [METER]);
    });
  }

  it("finds grouped devices, and identifies a meter by its group", () => {
    const site: Site = {
      siteId: "a",
      systems: [
        {
          systemId: "s",
          devices: JSON.parse('{"batteries": [{"sn": 1}], "meters": [{"sn": 2}]}') as Device[],
        },
      ],
    };
    assert.deepEqual(devicesOf(site), [{ sn: 1 }, { sn: 2 }]);
    assert.equal(hasMeter(site), true);
  });

  it("separates the devices of several systems", () => {
    const site: Site = {
      siteId: "a",
      systems: [
        { systemId: "1", devices: [METER] },
        { systemId: "2", devices: [BATTERY] },
      ],
      devices: [{ systemId: "2", deviceClass: "GATEWAY" }, { deviceClass: "INVERTER" }],
    };
    assert.deepEqual(devicesOf(site, "1"), [METER]);
    assert.deepEqual(devicesOf(site, "2"), [BATTERY, { systemId: "2", deviceClass: "GATEWAY" }]);
    assert.equal(devicesOf(site).length, 4);
    assert.equal(hasMeter(site), true);
    assert.equal(hasMeter(site, "1"), true);
    assert.equal(hasMeter(site, "2"), false);
    assert.equal(hasMeter(site, "3"), false);
  });

  it("assigns the site's devices to its only system", () => {
    assert.equal(hasMeter({ siteId: "a", systems: [{ systemId: "1" }], devices: [METER] }, "1"), true);
  });
});

describe("device reader", () => {
  for (const [device, expected] of [
    [{ deviceClass: "METER" }, "METER"],
    [{ class: "battery" }, "BATTERY"],
    [{ type: "gen-3", category: "PVLINK" }, "PVLINK"],
    [{ model: "X1", unitSort: "GATEWAY" }, "GATEWAY"],
    [{ deviceType: "HEAT_PUMP" }, "HEAT_PUMP"],
    [{ name: "my inverter in the garage" }, undefined],
    [{ deviceClass: "CT_CLAMP", name: "Meter" }, "CT_CLAMP"],
    [{ name: "Meter" }, undefined],
    [{ deviceClass: null }, undefined],
    [{}, undefined],
  ] as const) {
    it(`identifies ${JSON.stringify(device)} as ${expected}`, () =>
      assert.equal(deviceClassOf(device), expected));
  }

  it("reads flat and nested states the same way", () => {
    const state = { lastHeardAt: "2026-02-01T00:00:00Z", stateOfCharge: 0, deviceState: null };
    assert.deepEqual(deviceStateOf({ deviceId: "d", deviceClass: "BATTERY", ...state }), state);
    assert.deepEqual(deviceStateOf({ deviceId: "d", state: { ...state, later: 1 } }), { ...state, later: 1 });
  });

  it("merges both, with values taking precedence over null", () => {
    const device = {
      lastHeardAt: "2026-02-01T00:00:00Z",
      stateOfHealth: 90,
      state: { lastHeardAt: null, stateOfHealth: 91 },
    };
    assert.deepEqual(deviceStateOf(device), { lastHeardAt: "2026-02-01T00:00:00Z", stateOfHealth: 91 });
  });

  it("returns an empty state for a device without one", () => assert.deepEqual(deviceStateOf(METER), {}));
});

describe("devices by system", () => {
  const device = (id: string, systemId?: string): Device => ({ id, ...(systemId && { systemId }) });
  for (const [name, lists] of Object.entries<Omit<Site, "siteId">>({
    "listed by their systems": {
      systems: [
        { systemId: "a", devices: [device("1")] },
        { systemId: "b", devices: [device("2")] },
        { systemId: "a", devices: [device("3")] },
      ],
    },
    "listed by the site": {
      systems: [{ systemId: "a" }, { systemId: "b" }],
      devices: [device("1", "b"), device("2"), device("3", "other"), device("4", "a")],
    },
    "of the only system": { systems: [{ systemId: "a", devices: [device("1")] }], devices: [device("2")] },
    "of no system": { systems: [{}], devices: [device("1")] },
  })) {
    it(`are those of each system: ${name}`, () => {
      const site = { siteId: "s", ...lists };
      const expected = systemIdsOf(site).map((id) => [id, groupedDevicesOf(site, id)] as const);
      assert.deepEqual([...groupedDevicesBySystem(site)], [...new Map(expected)]);
    });
  }

  it("are read without delay if there are many systems", () => {
    const count = 20_000;
    const systems = Array.from({ length: count }, (_, index) => ({ systemId: `s${index}` }));
    const devices = systems.map(({ systemId }) => device("1", systemId));
    const read = (): unknown =>
      assert.equal(groupedDevicesBySystem({ siteId: "s", systems, devices }).size, count);
    assert.ok(cpuTime(read) < 1000);
  });
});
