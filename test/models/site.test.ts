// Tests for reading a site, its systems and its devices, even if fields are missing or in another place.
import assert from "node:assert/strict";
import {
  type Device,
  deviceClassOf,
  devicesOf,
  generationOf,
  generationsOf,
  devicesBySystem,
  hasMeter,
  type Site,
  siteIdOf,
  stateFieldOf,
  systemIdOf,
  systemIdsOf,
  systemsOf,
} from "../../src/models/site";
import { cpuTime } from "../support/cpu-time";

const METER: Device = { deviceId: "m", deviceClass: "METER" };
const BATTERY: Device = { deviceId: "b", deviceClass: "BATTERY" };

const inSite = (site: Site, systemId?: string): Device[] =>
  devicesOf(site, systemId).map(({ device }) => device);

describe("site reader", () => {
  it("reads ids under either name", () => {
    assert.equal(siteIdOf({ siteId: "a", id: "7" }), "a");
    assert.equal(siteIdOf(JSON.parse('{"id": "a"}') as Site), "a");
    assert.equal(systemIdOf({ systemId: "s", id: "7" }), "s");
    assert.equal(systemIdOf({ id: "s" }), "s");
    assert.equal(systemIdOf({}), undefined);
  });

  it("returns system ids and generations in order, each once", () => {
    const systems = [
      { systemId: "1", systemGeneration: "PC2" },
      { systemId: "2", systemGeneration: "MICRO" },
      { systemGeneration: "PC2" },
      { systemId: "4", systemGeneration: undefined },
      { systemId: "2" },
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
      assert.deepEqual(inSite({ siteId: "a", systems }), []);
      assert.notEqual(hasMeter({ siteId: "a", systems }), true);
    });
  }

  for (const field of ["devices", "deviceList", "equipment", "components"]) {
    it(`finds devices in ${field} of a system and of the site`, () => {
      assert.deepEqual(inSite({ siteId: "a", systems: [{ systemId: "s", [field]: [METER] }] }), [METER]);
      assert.deepEqual(inSite({ siteId: "a", [field]: [METER] }), [METER]);
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
    assert.deepEqual(inSite(site), [{ sn: 1 }, { sn: 2 }]);
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
    assert.deepEqual(inSite(site, "1"), [METER]);
    assert.deepEqual(inSite(site, "2"), [BATTERY, { systemId: "2", deviceClass: "GATEWAY" }]);
    assert.equal(inSite(site).length, 4);
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
      assert.equal(deviceClassOf({ device, group: "" }), expected));
  }

  it("reads flat and nested states the same way", () => {
    const state = { lastHeardAt: "2026-02-01T00:00:00Z", stateOfCharge: 0, deviceState: null };
    for (const device of [
      { deviceId: "d", deviceClass: "BATTERY", ...state },
      { deviceId: "d", state },
    ])
      for (const [field, value] of Object.entries(state)) assert.equal(stateFieldOf(device, field), value);
  });

  it("reads a nested value in place of a flat one, and any value in place of null", () => {
    const device = {
      lastHeardAt: "2026-02-01T00:00:00Z",
      stateOfHealth: 90,
      deviceState: "ON",
      state: { lastHeardAt: null, stateOfHealth: 91, deviceState: { mode: 1 } },
    };
    assert.equal(stateFieldOf(device, "lastHeardAt"), device.lastHeardAt);
    assert.equal(stateFieldOf(device, "stateOfHealth"), 91);
    assert.equal(stateFieldOf(device, "deviceState"), "ON");
  });

  it("finds no state in a device without one", () =>
    assert.equal(stateFieldOf(METER, "stateOfCharge"), null));
});

describe("devices by system", () => {
  const device = (id: string, systemId?: string): Device => ({ id, ...(systemId && { systemId }) });
  for (const [name, lists, expected] of [
    [
      "listed by their systems",
      {
        systems: [
          { systemId: "a", devices: [device("1")] },
          { systemId: "b", devices: [device("2")] },
          { systemId: "a", devices: [device("3")] },
        ],
      },
      { a: ["1", "3"], b: ["2"], none: [] },
    ],
    [
      "listed by the site",
      {
        systems: [{ systemId: "a" }, { systemId: "b" }],
        devices: [device("1", "b"), device("2"), device("3", "other"), device("4", "a")],
      },
      { a: ["4"], b: ["1"], none: ["2", "3"] },
    ],
    [
      "of the only system",
      { systems: [{ systemId: "a", devices: [device("1")] }], devices: [device("2")] },
      { a: ["1", "2"], none: [] },
    ],
    ["of no system", { systems: [{}], devices: [device("1")] }, { none: ["1"] }],
  ] as [string, Omit<Site, "siteId">, Record<string, string[]>][]) {
    it(`are those of each system: ${name}`, () => {
      const found = [...devicesBySystem({ siteId: "s", ...lists })].map(([systemId = "none", devices]) => [
        systemId,
        devices.map(({ device: { id } }) => id),
      ]);
      assert.deepEqual(Object.fromEntries(found), expected);
    });
  }

  it("are read without delay if there are many systems", () => {
    const count = 20_000;
    const systems = Array.from({ length: count }, (_, index) => ({ systemId: `s${index}` }));
    const devices = systems.map(({ systemId }) => device("1", systemId));
    const read = (): unknown =>
      assert.equal(devicesBySystem({ siteId: "s", systems, devices }).size, count + 1);
    assert.ok(cpuTime(read) < 1000);
  });
});
