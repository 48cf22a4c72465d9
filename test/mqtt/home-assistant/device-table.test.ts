// Tests for the devices of readings: what was stored is read back, anything else is rejected.
import assert from "node:assert/strict";
import { DeviceTable } from "../../../src/mqtt/home-assistant/device-table";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { type ReadingsDevice, readingsOf } from "../../../src/mqtt/home-assistant/readings";
import { readDevice } from "../../../src/mqtt/home-assistant/stored-devices";
import { PUBLISH_RULE } from "../../support/publish-rule";

const PROFILE = {
  siteId: "s",
  systemId: "a",
  siteName: "Home",
  entities: ["grid_power"],
  basis: { grid: "ac" as const },
};
const DEVICE: ReadingsDevice = {
  kind: "readings",
  id: "energy__s__a",
  profile: PROFILE,
  counters: {
    "grid/lifetimeImportedEnergy": { value: 5, end: 1, peak: 9, doubt: { value: 0, end: 2, count: 1 } },
  },
  last: { telemetry: { record: { startTime: "", endTime: "" }, end: 1, suppressed: [] } },
  retained: ["energy/s/a/live"],
  absence: { since: 3, lists: 2 },
};

describe("devices with readings", () => {
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
      changed({ last: 1 }),
      changed({ last: { telemetry: { record: 1, end: 1, suppressed: [] } } }),
      changed({ profile: { ...PROFILE, model: 1 } }),
      changed({ last: { telemetry: { record: {}, end: 1e300, suppressed: [] } } }),
      changed({ absence: { since: 3 } }),
      changed({ absence: { since: "3", lists: 2 } }),
    ])
      assert.equal(readDevice(stored), undefined, JSON.stringify(stored));
  });

  it("include what a message adds, and stay the same object if it adds nothing", () => {
    const table = new DeviceTable("energy", new Map([[DEVICE.id, DEVICE]]));
    const note = (profile: object): Device | undefined =>
      table.note(readingsOf(PUBLISH_RULE, { siteId: "s", systemId: "a", ...profile }));
    note({});
    const device = table.readings(PROFILE);
    assert.equal(device?.profile, PROFILE);
    assert.equal(note(PROFILE), device);
    const added = { ...PROFILE, siteName: "New", entities: ["solar_power"], basis: { solar: "dc" as const } };
    assert.deepEqual(note(added)?.profile, {
      ...PROFILE,
      siteName: "New",
      entities: ["grid_power", "solar_power"],
      basis: { grid: "ac", solar: "dc" },
    });
  });
});
