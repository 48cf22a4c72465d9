// Tests for the lists of sites and systems that the editor offers.
import assert from "node:assert/strict";
import { SiteChoices, systemChoices } from "../../src/choices/site-choices";
import type { Site } from "../../src/models/site";
import { cpuTime } from "../support/cpu-time";

const HOUSE: Site = {
  siteId: "s-1",
  siteName: "Große Mühle",
  siteAddress: { city: "København", country: "DK" },
  systems: [{ systemGeneration: "PC2" }, { systemGeneration: "PC1" }, { systemGeneration: "PC2" }],
};

describe("choice of sites", () => {
  const idsFound = (choices: SiteChoices, search: string): string[] =>
    choices.search(search).found.map(({ choice }) => choice.siteId);

  it("shows name, place, generations and number of systems", () => {
    const [first] = new SiteChoices([HOUSE], () => true).search("").found;
    assert.deepEqual(first?.choice, {
      siteId: "s-1",
      name: "Große Mühle",
      place: "København",
      generations: ["PC2", "PC1"],
      systemCount: 3,
      isPc1Needed: true,
      searched: "grosse muhle\ns-1\nkobenhavn\ndk\npc2\npc1",
    });
  });

  it("shows a site that has nothing but an id", () => {
    const odd = { siteId: "s", siteName: 7, siteAddress: [1], systems: null } as unknown as Site;
    const [first] = new SiteChoices([odd]).search("").found;
    assert.deepEqual(first?.choice, { siteId: "s", generations: [], systemCount: 0, searched: "s" });
  });

  it("shows the country if there is no city", () => {
    const [first] = new SiteChoices([{ siteId: "s", siteAddress: { country: "PT" } }]).search("").found;
    assert.equal(first?.choice.place, "PT");
  });

  for (const search of ["MÜHLE", "muhle grosse", "kobenhavn", "dk", "S-1", "PC2", "  ", "København mühle"])
    it(`finds a site by "${search}"`, () =>
      assert.deepEqual(idsFound(new SiteChoices([HOUSE]), search), ["s-1"]));

  for (const search of ["mühlen", "muhle berlin", "undefined"])
    it(`does not find it by "${search}"`, () =>
      assert.deepEqual(idsFound(new SiteChoices([HOUSE]), search), []));

  it("sorts by name as people do, and equal names by id", () => {
    const sites = [
      { siteId: "c", siteName: "House 10" },
      { siteId: "b", siteName: "house 9" },
      { siteId: "a2", siteName: "Émile" },
      { siteId: "a1", siteName: "émile" },
      { siteId: "house 1" },
    ];
    const expected = ["a1", "a2", "house 1", "b", "c"];
    assert.deepEqual(idsFound(new SiteChoices(sites), ""), expected);
    assert.deepEqual(idsFound(new SiteChoices(sites.toReversed()), ""), expected);
  });

  it("counts a site that is listed twice once", () => {
    assert.equal(new SiteChoices([HOUSE, HOUSE, { siteId: "other" }]).count, 2);
  });

  it("finds sites by their ids, whatever these look like", () => {
    const sites = new SiteChoices([HOUSE, { siteId: "__proto__" }, { siteId: "s-2" }]);
    const ids = sites.withIds(["s-2", "gone", "__proto__", "s-2"]).map(({ siteId }) => siteId);
    assert.deepEqual(ids, ["s-2", "__proto__"]);
  });

  it("shows no control characters and no endless names", () => {
    const [first] = new SiteChoices([{ siteId: "s", siteName: `a\u202e\n${"b".repeat(9999)}` }]).search(
      "",
    ).found;
    assert.match(first?.choice.name ?? "", /^a b+…$/);
    assert.equal(first?.choice.name?.length, 100);
  });

  it("prepares thousands of sites a second, and searches them at the speed of typing", () => {
    const sites = Array.from({ length: 2500 }, (_, index) => ({
      siteId: `site-${index}`,
      siteName: `Straße ${(index * 7919) % 2500}`,
      siteAddress: { city: `Città ${index % 100}`, country: "IT" },
    }));
    let choices = new SiteChoices([]);
    const prepared = cpuTime(() => (choices = new SiteChoices(sites)));
    assert.ok(prepared < 500, `prepared in ${prepared} ms`);
    const searched = cpuTime(() => {
      for (const search of ["s", "st", "strasse 12", "citta 42", "nothing"]) choices.search(search);
    });
    assert.ok(searched < 125, `searched in ${searched} ms`);
    const { found, total } = choices.search("citta 42");
    const isMatch = ({ siteId, siteName, siteAddress }: (typeof sites)[number]): boolean =>
      `${siteId} ${siteName} ${siteAddress.city}`.includes("42");
    assert.equal(total, sites.filter(isMatch).length);
    assert.equal(found.length, 50);
  });
});

describe("choice of systems", () => {
  it("shows generation, capacity, solar power and the meter", () => {
    const site: Site = {
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

  it("leaves open whether there is a meter where no devices are listed, but for PC2, which has none", () => {
    const systems = ["PC1", "PC2"].map((systemGeneration) => ({
      systemId: systemGeneration,
      systemGeneration,
    }));
    assert.deepEqual(
      systemChoices({ siteId: "s", systems }).map(({ hasMeter }) => hasMeter),
      [undefined, false],
    );
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
    const site = { siteId: "s", systems } as unknown as Site;
    assert.deepEqual(systemChoices(site), [{ systemId: "a" }, { systemId: "c" }]);
    assert.deepEqual(systemChoices({ siteId: "s" }), []);
  });

  it("stops at a number of systems that no site has", () => {
    const devices = Array.from({ length: 100 }, () => ({ deviceClass: "BATTERY" }));
    const systems = Array.from({ length: 300 }, (_, index) => ({ systemId: `system-${index}`, devices }));
    const start = process.cpuUsage().user;
    assert.equal(systemChoices({ siteId: "s", systems }).length, 200);
    assert.ok(process.cpuUsage().user - start < 1_000_000);
  });
});
