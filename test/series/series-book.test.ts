// Tests for the series book: what an address stands for is looked up once, remembered, and never made up.
import assert from "node:assert/strict";
import sinon from "sinon";
import { EnergyError } from "../../src/errors";
import type { Site } from "../../src/models/site";
import { SeriesBook } from "../../src/series/series-book";
import { HOUSE, memory, refusal, Service, TWIN } from "./book-service";

const BARE: Site = { siteId: "house" };
const HOUR = 60 * 60_000;

describe("series book", () => {
  let clock: sinon.SinonFakeTimers;
  let service: Service;
  let disk: ReturnType<typeof memory>;
  let book: SeriesBook;

  const restart = (): void => {
    book = new SeriesBook(service.client, true, disk.group);
    service.asked.length = 0;
  };
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service = new Service();
    disk = memory();
    restart();
  });
  afterEach(() => clock.restore());

  const systemOf = async (siteId: string, systemId?: string): Promise<string | undefined> =>
    (await book.resolve({ siteId, systemId })).systemId;
  const generationOf = async (siteId: string, systemId?: string): Promise<string | undefined> =>
    (await book.resolve({ siteId, systemId })).generation;
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("takes a site with one system for that system, with one list for all who ask", async () => {
    assert.deepEqual(await Promise.all([systemOf("house"), systemOf("house", "a")]), ["a", "a"]);
    assert.deepEqual([await generationOf("house"), await generationOf("twin", "b")], ["PC2", "PC2"]);
    assert.deepEqual(service.asked, ["sites"]);
  });

  it("names the systems of a site that has several", async () => {
    const details = { systemIds: ["a", "b"] };
    await assert.rejects(systemOf("twin"), { code: "ENERGY_SYSTEM_REQUIRED", details });
    assert.equal(await systemOf("twin", "b"), "b");
  });

  it("does not hold the event loop for a site with any number of systems that is read again", async () => {
    const systems = Array.from({ length: 10_000 }, (_none, index) => ({ systemId: `system-${index}` }));
    const sites = [{ siteId: "park", systems }];
    await book.note(sites, 0);
    const before = process.cpuUsage();
    await book.note(sites, 0);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
  });

  it("remembers the system across a restart, and needs no service for it", async () => {
    await systemOf("house");
    service.list = refusal(503);
    restart();
    assert.deepEqual(await book.resolve({ siteId: "house" }), {
      siteId: "house",
      systemId: "a",
      generation: "PC2",
      names: {},
      since: undefined,
    });
    assert.equal(disk.sites().length, 1);
  });

  it("keeps nothing that no one wants kept", async () => {
    await book.resolve({ siteId: "house" }, { isKept: false });
    assert.equal(disk.sites().length, 0);
  });

  it("remembers a system that was named, for those who name the site later", async () => {
    await systemOf("house", "a");
    service.list = refusal(503);
    restart();
    assert.equal(await systemOf("house"), "a");
  });

  it("asks the site itself if the list fails, or shows no systems", async () => {
    service.details = HOUSE;
    for (const list of [refusal(500), [BARE], [{ siteId: "house", systems: null }], []]) {
      service.list = list;
      disk = memory();
      restart();
      assert.equal(await systemOf("house"), "a");
      assert.deepEqual(service.asked, ["sites", "site"]);
      assert.equal(await systemOf("house"), "a");
      assert.equal(service.asked.filter((what) => what === "site").length, 1);
    }
  });

  it("fails with the service's error while it does not know, and makes nothing up", async () => {
    for (const [list, details] of [
      [refusal(503), refusal(502)],
      [[BARE], refusal(502)],
      [refusal(503), BARE],
      [refusal(403), refusal(502)],
    ] as const) {
      service.list = list as Site[] | Error;
      service.details = details;
      service.records = { records: [], unreadable: [] };
      restart();
      await assert.rejects(systemOf("house"), EnergyError);
      assert.ok(!service.asked.includes("records"));
    }
    assert.equal(disk.sites().length, 0);
    service.list = [HOUSE];
    clock.tick(5 * 60_000);
    assert.equal(await systemOf("house"), "a");
  });

  it("fails, and makes nothing up, while the id of the only system cannot be read", async () => {
    const systems = JSON.parse('[{ "systemId": 7, "systemGeneration": "PC2" }]') as [];
    service.details = { siteId: "house", systems };
    for (const list of [[service.details], refusal(403)]) {
      service.list = list;
      restart();
      await assert.rejects(systemOf("house"), { code: "ENERGY_RESPONSE", message: /systems\[0\]\.systemId/ });
      assert.equal(disk.sites().length, 0);
    }
  });

  it("knows that there is no system where neither list nor site shows one, and remembers it", async () => {
    service.list = [BARE];
    service.details = { ...BARE, systems: [] };
    assert.equal(await systemOf("house"), undefined);
    service.list = refusal(503);
    service.details = refusal(503);
    restart();
    assert.equal(await systemOf("house"), undefined);
  });

  it("knows that there is none where both are refused and records are not", async () => {
    service.list = refusal(403);
    service.details = refusal(404);
    await assert.rejects(systemOf("house"), { details: { statusCode: 404 } });
    assert.equal(disk.sites().length, 0);
    service.records = { records: [], unreadable: [] };
    assert.equal(await systemOf("house"), undefined);
    restart();
    assert.equal(await systemOf("house"), undefined);
  });

  it("takes the word of a list whose systems have no ids", async () => {
    service.list = [{ siteId: "house", systems: [{ systemGeneration: "PC2" }] }];
    assert.deepEqual([await systemOf("house"), await generationOf("house")], [undefined, "PC2"]);
    assert.deepEqual(service.asked, ["sites"]);
  });

  it("dates a system that only details show by the last details without it, also after a restart", async () => {
    service.list = [BARE];
    service.details = HOUSE;
    await systemOf("house");
    clock.tick(HOUR / 2);
    await book.note([BARE], HOUR / 2);
    restart();
    service.details = { ...TWIN, siteId: "house" };
    await systemOf("house", "b");
    await settled();
    assert.equal((await book.resolve({ siteId: "house", systemId: "b" })).since, 0);
  });

  it("keeps a system when a list is cut", async () => {
    await systemOf("house");
    for (const site of [BARE, { siteId: "house", systems: [] }, { siteId: "house", systems: [{}] }]) {
      service.list = [site];
      clock.tick(HOUR);
      await systemOf("house");
      await settled();
      assert.equal(await systemOf("house"), "a");
    }
  });

  it("learns in the background what has changed", async () => {
    await systemOf("house");
    service.list = [{ siteId: "house", systems: [{ systemId: "new" }] }];
    clock.tick(HOUR);
    assert.equal(await systemOf("house"), "a");
    await settled();
    assert.equal(await systemOf("house"), "new");
    service.list = [{ ...TWIN, siteId: "house" }];
    clock.tick(HOUR);
    await systemOf("house");
    await settled();
    await assert.rejects(systemOf("house"), { code: "ENERGY_SYSTEM_REQUIRED" });
    assert.deepEqual(service.asked, ["sites", "sites", "sites"]);
  });

  it("does without the generation of a named system if the list fails, and asks again after five minutes", async () => {
    service.list = refusal(503);
    assert.equal(await generationOf("house", "a"), undefined);
    assert.equal(await generationOf("house", "a"), undefined);
    assert.equal(service.asked.length, 1);
    service.list = [HOUSE];
    clock.tick(5 * 60_000);
    assert.equal(await generationOf("house", "a"), "PC2");
  });

  it("does not wait long for the generation, but for the system", async () => {
    clock.restore();
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    let arrive = (_sites: Site[]): void => undefined;
    service.client.sites = () => new Promise((resolve) => (arrive = resolve));
    restart();
    const [named, unnamed] = [generationOf("house", "a"), systemOf("house")];
    await clock.tickAsync(3000);
    assert.equal(await named, undefined);
    await clock.tickAsync(20_000);
    arrive([HOUSE]);
    assert.equal(await unnamed, "a");
    assert.equal(clock.countTimers(), 0);
  });

  it("takes a system that is listed twice for one", async () => {
    service.list = [{ siteId: "house", systems: [{ systemId: "a" }, { systemId: "a" }] }];
    assert.equal(await systemOf("house"), "a");
  });

  it("learns from a list that someone else has read, which a site may be in twice", async () => {
    const sites = await book.note([HOUSE, { ...TWIN, siteId: "house" }], 0);
    assert.deepEqual(
      sites.map(({ siteId }) => siteId),
      ["house"],
    );
    assert.equal(await systemOf("house"), "a");
    assert.deepEqual(service.asked, []);
  });

  it("knows names, time zone and equipment from the list or the details, and keeps what a later answer does not show", async () => {
    const system = { systemId: "a", systemName: "Shed\n", capabilities: { solar: { inverterType: "OWN" } } };
    service.list = [{ siteId: "house", systems: [system] }];
    service.details = { siteId: "house", siteName: " House ", timezone: "Europe/Rome", systems: [system] };
    assert.deepEqual((await book.resolve({ siteId: "house" })).names, { systemName: "Shed" });
    const site = await book.site("house");
    assert.deepEqual(
      [site.name, site.timezone, site.systems[0]?.equipment],
      ["House", "Europe/Rome", { solar: "OWN" }],
    );
    assert.deepEqual(service.asked, ["sites", "site"]);
    service.list = [HOUSE];
    clock.tick(HOUR);
    await book.site("house");
    await settled();
    const names = { siteName: "House", systemName: "Shed" };
    assert.deepEqual((await book.resolve({ siteId: "house" })).names, names);
    restart();
    assert.deepEqual((await book.resolve({ siteId: "house" })).names, names);
    assert.equal((await book.site("house")).timezone, "Europe/Rome");
  });

  it("knows no battery by a capacity of 0", async () => {
    const systems = [0, null, 9000].map((capacityEnergy, index) => ({
      systemId: String(index),
      capabilities: { storage: { capacityEnergy } },
    }));
    service.list = [{ siteId: "house", systems, timezone: "UTC" }];
    assert.deepEqual(
      (await book.site("house")).systems.map(({ equipment }) => equipment?.storage),
      [undefined, true, true],
    );
  });

  it("asks once an hour for a time zone that nothing shows", async () => {
    service.details = HOUSE;
    for (let count = 0; count < 3; count += 1) assert.equal((await book.site("house")).timezone, undefined);
    assert.deepEqual(service.asked, ["sites", "site"]);
    service.details = refusal(503);
    clock.tick(HOUR);
    assert.equal((await book.site("house")).systems.length, 1);
    assert.deepEqual(service.asked, ["sites", "site", "sites", "site"]);
    await assert.rejects(book.site("elsewhere"), { details: { statusCode: 503 } });
  });

  it("says since when a system is there that has appeared after others: since the last list without it", async () => {
    const sinceOf = async (siteId: string, systemId?: string): Promise<number | undefined> =>
      (await book.resolve({ siteId, systemId })).since;
    assert.equal(await sinceOf("house"), undefined);
    clock.tick(HOUR);
    const last = performance.now();
    await sinceOf("house");
    await settled();
    service.list = [
      { siteId: "house", systems: [{ systemId: "new" }] },
      { ...TWIN, siteId: "barn" },
    ];
    clock.tick(HOUR);
    await sinceOf("house");
    await settled();
    assert.equal(await sinceOf("house"), last);
    assert.equal(await sinceOf("barn", "b"), last);
    assert.equal(await sinceOf("twin", "b"), undefined);
  });

  it("says so after a restart, too", async () => {
    await systemOf("house");
    clock.tick(HOUR);
    const last = performance.now();
    await systemOf("house");
    await settled();
    await book.flush();
    restart();
    clock.tick(5 * HOUR);
    service.list = [{ siteId: "house", systems: [{ systemId: "new" }] }];
    await systemOf("house");
    await settled();
    assert.equal((await book.resolve({ siteId: "house" })).since, last);
  });

  it("asks the details again once an hour where only they show the systems", async () => {
    service.list = refusal(403);
    service.details = HOUSE;
    await systemOf("house");
    service.details = { siteId: "house", systems: [{ systemId: "new" }] };
    clock.tick(HOUR);
    await systemOf("house");
    await settled();
    assert.equal(await systemOf("house"), "new");
    service.details = refusal(404);
    clock.tick(HOUR);
    await systemOf("house");
    await settled();
    assert.equal(await systemOf("house"), "new");
    assert.equal(service.asked.filter((what) => what === "site").length, 3);
    assert.ok(!service.asked.includes("records"));
  });

  it("says since when a system is there that only the details show: since the last ones without it", async () => {
    service.list = refusal(403);
    service.details = HOUSE;
    const first = performance.now();
    await systemOf("house");
    service.details = { siteId: "house", systems: [{ systemId: "new" }] };
    clock.tick(HOUR);
    await systemOf("house");
    await settled();
    assert.equal((await book.resolve({ siteId: "house" })).since, first);
    clock.tick(HOUR);
    const last = performance.now();
    for (const details of [HOUSE, { ...TWIN, siteId: "house" }]) {
      service.details = details;
      await systemOf("house");
      await settled();
      clock.tick(HOUR);
    }
    assert.equal((await book.resolve({ siteId: "house", systemId: "b" })).since, last);
  });

  it("remembers the sites of the last list across a restart, without those that only messages named", async () => {
    service.list = [TWIN];
    service.details = HOUSE;
    await systemOf("house");
    await systemOf("twin", "a");
    const listed = async (): Promise<string[]> =>
      (await book.remembered(undefined)).map(({ siteId }) => siteId);
    restart();
    assert.deepEqual(await listed(), ["twin"]);
    await book.note([], 1);
    restart();
    assert.deepEqual(await listed(), []);
    assert.equal(await systemOf("twin", "a"), "a");
    assert.equal((await book.remembered("twin")).length, 1);
  });

  it("remembers a site of the last list whose systems only its details show", async () => {
    service.list = [TWIN, BARE];
    service.details = HOUSE;
    await book.note(service.list, 0);
    await Promise.all([systemOf("twin", "a"), systemOf("house")]);
    restart();
    const known = await book.remembered(undefined);
    assert.deepEqual(
      known.map(({ siteId }) => siteId),
      ["twin", "house"],
    );
  });

  it("forgets those of very many sites that have changed first", async () => {
    // One without an id: of 50,000 sites, more takes long to read.
    const systems = [{}];
    const sites = Array.from({ length: 50_001 }, (_none, index) => ({ siteId: `site-${index}`, systems }));
    await book.note(sites.slice(0, 1), 0);
    await systemOf("site-0");
    await book.note(sites, 0);
    assert.deepEqual([disk.sites(), (await book.remembered(undefined)).length], [[], 50_000]);
  });
});
