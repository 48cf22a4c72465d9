// Tests for the list of systems that the editor offers.
import assert from "node:assert/strict";
import { systemChoices } from "../../src/choices/system-choices";
import type { SiteDetails } from "../../src/models/site";

describe("choice of systems", () => {
  it("shows generation, capacity, solar power and the meter", () => {
    const site: SiteDetails = {
      siteId: "s",
      systems: [
        {
          systemId: "one",
          systemGeneration: "PC2",
          capabilities: { solar: { inverterCapacityPower: 8200 }, storage: { capacityEnergy: 13500 } },
        },
        {
          systemId: "two",
          systemGeneration: "PC1",
          capabilities: { solar: { inverterCapacityPower: null }, storage: null },
          devices: [{ deviceClass: "METER" }],
        },
      ],
    };
    assert.deepEqual(systemChoices(site), [
      { systemId: "one", generation: "PC2", capacity: 13500, solarPower: 8200, hasMeter: false },
      { systemId: "two", generation: "PC1", hasMeter: true },
    ]);
  });

  it("accepts systems of any shape, and leaves those without a valid id out", () => {
    const systems = [
      { systemId: "a" },
      { systemId: "a" },
      { systemId: "b\n" },
      {},
      null,
      7,
      { systemId: "c", capabilities: "x" },
    ];
    const site = { siteId: "s", systems } as unknown as SiteDetails;
    assert.deepEqual(systemChoices(site), [
      { systemId: "a", hasMeter: false },
      { systemId: "c", hasMeter: false },
    ]);
    assert.deepEqual(systemChoices({ siteId: "s" }), []);
  });

  it("stops at a number of systems that no site has", () => {
    const devices = Array.from({ length: 100 }, () => ({ deviceClass: "BATTERY" }));
    const systems = Array.from({ length: 5000 }, (_, index) => ({ systemId: `system-${index}`, devices }));
    const start = process.cpuUsage().user;
    assert.equal(systemChoices({ siteId: "s", systems }).length, 200);
    assert.ok(process.cpuUsage().user - start < 1_000_000);
  });
});
