// Tests for the demo sites in the site list and in site details (service interface 2.2 to 2.4, 4.2, 4.3 and 9).
import assert from "node:assert/strict";
import { startStrictService, type StrictService } from "../support/demo-service";
import type { Device, Site } from "../../src/models/site";
import { Reader } from "./reader";

const ALL = ["demo-house", "demo-farm", "demo-cabin", "demo-twin", "demo-balcony", "demo-empty"];
const WITHOUT_HEADER = ["demo-house", "demo-empty"];

const systemsOf = (site: Site) => site.systems ?? [];
const devicesOf = (site: Site) => systemsOf(site).flatMap((system) => system.devices ?? []);
const classesOf = (site: Site) => devicesOf(site).map(({ deviceClass }) => deviceClass);
const pick = (device: Device | undefined, fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, device?.[field]]));

describe("demo service: sites", () => {
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => Date.parse("2026-06-01T18:02:30Z") });
    reader = await Reader.of(service);
  });
  after(() => service.close());

  it("lists every site with the version header", async () => {
    assert.deepEqual(
      (await reader.sites()).map(({ siteId }) => siteId),
      ALL,
    );
  });

  it("lists only PC2 sites and sites without systems if the version header is missing or different", async () => {
    const others: Record<string, string>[] = [{}, { "VendorApi-Version": "2030-01-01" }];
    for (const headers of others) {
      assert.deepEqual(
        (await reader.sites(headers)).map(({ siteId }) => siteId),
        WITHOUT_HEADER,
      );
    }
  });

  it("hides the other sites at every endpoint without the version header", async () => {
    const day = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-01T01:00:00Z" };
    for (const siteId of ALL) {
      const expected = WITHOUT_HEADER.includes(siteId) ? 200 : 404;
      assert.equal(await reader.status(`/v1/sites/${siteId}`, {}, {}), expected, siteId);
      assert.equal(await reader.status(`/v1/sites/${siteId}/telemetry`, day, {}), expected, siteId);
      assert.equal(await reader.status(`/v1/sites/${siteId}/alerts`, {}, {}), expected, siteId);
    }
  });

  it("describes each site with time zone, address and generations", async () => {
    const sites = await reader.sites();
    for (const site of sites) {
      assert.ok(site.siteName && site.siteAddress?.city && site.siteAddress.country, site.siteId);
      assert.doesNotThrow(() => new Intl.DateTimeFormat("en", { timeZone: site.timezone }));
    }
    assert.deepEqual(
      sites.map((site) => systemsOf(site).map(({ systemGeneration }) => systemGeneration)),
      [["PC2"], ["PC1"], ["PC1"], ["PC1", "PC1"], ["MICRO"], []],
    );
  });

  it("reports storage capacities for a PC1 system, but no solar inverter capacity", async () => {
    for (const { capabilities, systemGeneration } of (await reader.sites()).flatMap(systemsOf)) {
      const capacity = capabilities?.solar?.inverterCapacityPower;
      if (systemGeneration === "PC1") {
        assert.equal(capacity, null);
        assert.ok(Number(capabilities?.storage?.capacityEnergy) > 0);
        assert.ok(Number(capabilities?.storage?.maxChargePower) > 0);
        assert.ok(Number(capabilities?.storage?.maxDischargePower) > 0);
      } else {
        assert.ok(Number(capacity) > 0);
      }
    }
    const balcony = (await reader.sites()).find(({ siteId }) => siteId === "demo-balcony");
    assert.equal(balcony?.systems?.[0]?.capabilities?.storage, null);
  });

  it("lists devices only in site details, with the device classes of each generation", async () => {
    assert.deepEqual((await reader.sites()).flatMap(devicesOf), []);
    const farm = classesOf(await reader.site("demo-farm"));
    for (const expected of ["GATEWAY", "INVERTER", "BATTERY", "PVLINK", "METER"])
      assert.ok(farm.includes(expected));
    assert.equal(farm.filter((name) => name === "BATTERY").length, 2);
    for (const siteId of ["demo-house", "demo-cabin", "demo-balcony"]) {
      const classes = classesOf(await reader.site(siteId));
      assert.ok(!classes.includes("METER") && !classes.includes("PVLINK"), siteId);
    }
    const twin = systemsOf(await reader.site("demo-twin")).map(({ devices }) =>
      (devices ?? []).some(({ deviceClass }) => deviceClass === "METER"),
    );
    assert.deepEqual(twin, [true, false]);
    assert.deepEqual(systemsOf(await reader.site("demo-empty")), []);
  });

  it("gives every device a unique id and the time of its last contact", async () => {
    const devices = (await Promise.all(ALL.map((siteId) => reader.site(siteId)))).flatMap(devicesOf);
    assert.equal(new Set(devices.map(({ deviceId }) => deviceId)).size, devices.length);
    for (const device of devices) assert.equal(device.lastHeardAt, "2026-06-01T18:02:00.000Z");
  });

  it("leaves the PC2 states of PC1 devices null, and PVLINK and METER without any state", async () => {
    const states = ["deviceState", "enabledState"];
    for (const device of devicesOf(await reader.site("demo-farm"))) {
      const bare = device.deviceClass === "PVLINK" || device.deviceClass === "METER";
      assert.deepEqual(
        states.map((name) => name in device),
        [!bare, !bare],
      );
      if (!bare) assert.deepEqual(pick(device, states), { deviceState: null, enabledState: null });
    }
    for (const device of devicesOf(await reader.site("demo-house"))) {
      for (const state of states) assert.equal(typeof device[state], "string");
    }
  });

  it("shows the charge of the newest record, as the mean of two batteries that differ", async () => {
    const window = { startTime: "2026-06-01T17:50:00Z", endTime: "2026-06-01T18:10:00Z" };
    for (const siteId of ["demo-house", "demo-farm", "demo-cabin"]) {
      const [record] = (await reader.telemetry(siteId, window)).slice(-1);
      const batteries = devicesOf(await reader.site(siteId)).filter(
        ({ deviceClass }) => deviceClass === "BATTERY",
      );
      assert.ok(batteries.length > 0);
      const charges = batteries.map(({ stateOfCharge }) => Number(stateOfCharge));
      const mean = charges.reduce((sum, charge) => sum + charge, 0) / charges.length;
      assert.ok(Math.abs(mean - (record?.storage?.stateOfCharge ?? 0)) < 1e-9, siteId);
      assert.equal(new Set(charges).size, batteries.length);
      for (const battery of batteries) {
        assert.ok(Number(battery.stateOfHealth) > 90 && Number(battery.moduleCount) > 0);
      }
    }
  });

  it("shows the most severe open alert of each device", async () => {
    const order = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
    let mixed = 0;
    for (const siteId of ALL) {
      const alerts = (await reader.alerts(siteId)).filter(({ closedAt }) => closedAt === null);
      for (const device of devicesOf(await reader.site(siteId))) {
        const ranks = alerts
          .filter(({ deviceId }) => deviceId === device.deviceId)
          .map(({ severity }) => order.indexOf(severity ?? ""));
        assert.equal(device.highestAlertSeverity, ranks.length > 0 ? order[Math.max(...ranks)] : null);
        if (new Set(ranks).size > 1) mixed++;
      }
    }
    assert.ok(mixed > 0, "at this time a device has alerts of two severities");
  });
});
