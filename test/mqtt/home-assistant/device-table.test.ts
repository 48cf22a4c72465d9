// Tests for the known devices: what was stored is read back, anything else is rejected.
import assert from "node:assert/strict";
import { DeviceTable } from "../../../src/mqtt/home-assistant/device-table";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { readDevice } from "../../../src/mqtt/home-assistant/stored-devices";

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
    "state/totals/today": { payload: { solar: null }, from: 1, until: 2 },
    state: { payload: { stateOfCharge: 5 }, end: 1, afterwards: { stateOfCharge: null } },
  },
  open: [{ alertKey: "1", severity: "LOW" }],
  retained: ["energy/s/a/live"],
  absence: { since: 3, lists: 2 },
};

describe("known devices", () => {
  it("are read back as they were stored", () => {
    assert.deepEqual(readDevice(JSON.parse(JSON.stringify(DEVICE))), DEVICE);
  });

  it("are rejected if any part is damaged", () => {
    const changed = (change: object): unknown => ({ ...DEVICE, ...change });
    for (const stored of [
      null,
      [],
      {},
      "book",
      changed({ profile: undefined }),
      changed({ profile: { ...PROFILE, siteId: 7 } }),
      changed({ profile: { ...PROFILE, systemId: null } }),
      changed({ profile: { ...PROFILE, siteName: {} } }),
      changed({ profile: { ...PROFILE, entities: [1] } }),
      changed({ profile: { ...PROFILE, basis: null } }),
      changed({ counters: { a: { value: null, end: 1 } } }),
      changed({ counters: { a: { value: 1, end: 1, doubt: 3 } } }),
      changed({ counters: { a: { value: 1, end: 1, doubt: { value: 1, count: 1 } } } }),
      changed({ counters: { a: { value: 1, end: 1, peak: null } } }),
      changed({ retained: [7] }),
      changed({ id: 5 }),
      changed({ profile: { ...PROFILE, units: undefined } }),
      changed({ profile: { ...PROFILE, key: null } }),
      changed({ states: undefined }),
      changed({ states: { state: 1 } }),
      changed({ states: { state: { ...STATE, payload: null } } }),
      changed({ states: { state: { ...STATE, record: 1 } } }),
      changed({ states: { state: { ...STATE, until: "now" } } }),
      changed({ states: { state: { ...STATE, end: 1e300 } } }),
      changed({ open: {} }),
      changed({ open: [{ alertKey: "1", severity: 5 }] }),
      changed({ open: [{ alertKey: "1", severity: "LOW", title: 5 }] }),
      changed({ profile: { ...PROFILE, model: 1 } }),
      changed({ absence: { since: 3 } }),
      changed({ absence: { since: "3", lists: 2 } }),
    ])
      assert.equal(readDevice(stored), undefined, JSON.stringify(stored));
  });

  it("include what a message adds, and stay the same object if it adds nothing", () => {
    const table = new DeviceTable("energy", new Map([[DEVICE.id, DEVICE]]));
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
});
