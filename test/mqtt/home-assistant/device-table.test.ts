// Tests for the known devices: what was stored is read back, anything else is rejected.
import assert from "node:assert/strict";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { DeviceTable, readDevice } from "../../../src/mqtt/home-assistant/device-table";

const PROFILE = {
  siteId: "s",
  systemId: "a",
  siteName: "Home",
  entities: ["grid_power"],
  basis: { grid: "ac" as const },
  units: { energy_today: "kWh" },
};
const STATE = { payload: { endTime: "" }, record: { startTime: "", endTime: "" }, end: 1, until: 2 };
const DEVICE: Device = {
  id: "energy__s__a",
  profile: PROFILE,
  counters: {
    "grid/lifetimeImportedEnergy": { value: 5, end: 1, peak: 9, doubt: { value: 0, end: 2, count: 1 } },
  },
  states: {
    "state/telemetry": STATE,
    "state/totals/today": { payload: { solar: null }, until: 2 },
    state: { payload: { stateOfCharge: 5 }, end: 1, afterwards: { stateOfCharge: null } },
  },
  open: [{ alertKey: "1", severity: "LOW" }],
  freshUntil: 5,
  absence: { since: 3, lists: 2 },
};

describe("known devices", () => {
  it("are read back as they were stored", () => {
    assert.deepEqual(readDevice(JSON.parse(JSON.stringify(DEVICE))), DEVICE);
  });

  it("are rejected if they are none", () => {
    const changed = (change: object): unknown => ({ ...DEVICE, ...change });
    for (const stored of [
      null,
      [],
      {},
      "book",
      changed({ id: 5 }),
      changed({ profile: undefined }),
      changed({ profile: { ...PROFILE, entities: [1] } }),
      changed({ profile: { ...PROFILE, basis: null } }),
      changed({ profile: { ...PROFILE, units: undefined } }),
      changed({ states: undefined }),
      changed({ states: { state: { ...STATE, payload: null } } }),
    ])
      assert.equal(readDevice(stored), undefined, JSON.stringify(stored));
  });

  it("include what a message adds, and stay the same object if it adds nothing", () => {
    const table = new DeviceTable("energy", [DEVICE]);
    const note = (profile: object): Device | undefined =>
      table.note({ profile: { siteId: "s", systemId: "a", ...profile } });
    note({});
    const device = table.find(PROFILE);
    assert.equal(device?.profile, PROFILE);
    assert.equal(note(PROFILE), device);
    const added = { ...PROFILE, siteName: "New", entities: ["solar_power"], basis: { solar: "dc" as const } };
    assert.deepEqual(note(added)?.profile, {
      ...PROFILE,
      siteName: "New",
      entities: ["grid_power", "solar_power"],
      basis: { grid: "ac", solar: "dc" },
      units: PROFILE.units,
    });
  });

  it("are left alone by the details of another site", () => {
    const devices = Array.from({ length: 100 }, (_none, index): Device => {
      const siteId = `s${index}`;
      return { ...DEVICE, id: `energy__${siteId}__a`, profile: { ...PROFILE, siteId } };
    });
    const table = new DeviceTable("energy", devices);
    const site = { siteId: "s1", siteName: "Cabin", systems: [{ systemId: "a" }] };
    // A step for the site, and one for its device.
    assert.equal([...table.learn([site], false, 5)].length, 2);
    assert.equal(table.find({ siteId: "s1", systemId: "a" })?.profile.siteName, "Cabin");
    assert.deepEqual(table.find({ siteId: "s2", systemId: "a" }), devices[2]);
  });
});
