// Tests for what is stored of alerts and devices: what must survive a crash at once, their state only now and then.
import assert from "node:assert/strict";
import { type Facet, readFacet } from "../../../src/mqtt/home-assistant/facet";
import type { KnownDevice } from "../../../src/mqtt/home-assistant/known-devices";
import { StoredHome } from "../../../src/mqtt/home-assistant/stored-home";
import { MINUTE } from "../../../src/time-units";
import { FacetHome, NOW } from "../../support/facet-home";

const SITE = {
  siteId: "home",
  systems: [{ systemId: "a", devices: [{ deviceId: "b", deviceClass: "BATTERY", stateOfCharge: 50 }] }],
};
const [ALERTS, BATTERY] = ["energy__home_alerts", "energy__home__a__b"];

describe("stored alerts and devices", () => {
  let states: Map<string, Facet>;
  let writes: string[];
  let facets: FacetHome;
  let stored: StoredHome;

  beforeEach(() => {
    states = new Map();
    writes = [];
    facets = new FacetHome();
    const group = {
      load: () => Promise.resolve([...states.values()]),
      save: async (name: string, facet: Facet) => {
        writes.push(name);
        states.set(name, JSON.parse(JSON.stringify(facet)) as Facet);
      },
      remove: async (name: string) => void states.delete(name),
    };
    const devices = {
      load: () => Promise.resolve<KnownDevice[]>([]),
      save: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    };
    stored = new StoredHome("energy", devices, group);
  });

  /** What is written when everything has been saved. */
  const saved = async (): Promise<string[]> => {
    writes = [];
    await stored.save(facets.publisher.home, facets.now);
    return writes;
  };

  it("are written when they are new, and when an alert or an entity is", async () => {
    facets.list([{ id: "1", siteId: "home" }]);
    facets.details(SITE);
    assert.deepEqual(await saved(), [ALERTS, BATTERY]);
    facets.list([{ id: "2", siteId: "home" }]);
    assert.deepEqual(await saved(), [ALERTS]);
    const [system] = SITE.systems;
    facets.details({
      ...SITE,
      systems: [{ ...system, devices: [{ ...system?.devices[0], moduleCount: 2 }] }],
    });
    assert.deepEqual(await saved(), [BATTERY]);
    facets.sites([{ siteId: "other" }]);
    assert.deepEqual(await saved(), [ALERTS, BATTERY]);
  });

  it("are otherwise written every 15 minutes at most, and when the node closes", async () => {
    facets.list([], "home");
    facets.details(SITE);
    await saved();
    for (const expected of [[], [], [ALERTS, BATTERY], []]) {
      facets.now += 5 * MINUTE;
      facets.list([], "home");
      facets.details(SITE);
      assert.deepEqual(await saved(), expected);
    }
    writes = [];
    await stored.flush(facets.now);
    assert.deepEqual(writes, [ALERTS, BATTERY]);
    await stored.flush(facets.now);
    assert.equal(writes.length, 2);
  });

  it("can be read back, and lose their file when they are removed", async () => {
    facets.list([{ id: "1", siteId: "home", title: "x" }]);
    facets.details(SITE);
    await saved();
    const { facets: loaded } = await stored.load(NOW);
    assert.deepEqual([...loaded], JSON.parse(JSON.stringify([...facets.publisher.home.facets].toSorted())));
    for (const facet of states.values()) assert.equal(readFacet(facet), facet);
    await stored.save({ devices: new Map(), facets: new Map() }, NOW);
    assert.equal(states.size, 0);
  });

  it("are refused if they are damaged", () => {
    const alerts = { kind: "alerts", siteId: "home", open: [{ alertKey: "1", severity: "LOW" }], asOf: NOW };
    facets.details(SITE);
    const device = [...facets.publisher.home.facets.values()][0] as unknown as {
      profile: object;
      values: object;
    };
    const damaged: unknown[] = [
      null,
      {},
      [],
      { ...alerts, kind: "novelty" },
      { ...alerts, siteId: 5 },
      { ...alerts, open: {} },
      { ...alerts, open: [{ alertKey: "1", severity: "WORSE" }] },
      { ...alerts, open: [{ alertKey: "1", severity: "LOW", title: 5 }] },
      { ...alerts, asOf: 1e20 },
      { ...alerts, absence: { since: "now", lists: 1 } },
      { ...device, profile: null },
      { ...device, asOf: null },
      { ...device, values: { stateOfCharge: 5 } },
      { ...device, values: { ...device.values, stateOfCharge: {} } },
      { ...device, profile: { ...device.profile, key: null } },
      { ...device, profile: { ...device.profile, fields: ["novelty"] } },
      { ...device, profile: { ...device.profile, systemId: 5 } },
    ];
    for (const one of [alerts, device]) assert.equal(readFacet(one), one);
    for (const one of damaged) assert.equal(readFacet(one), undefined, JSON.stringify(one));
  });
});
