// Tests for the site directory: one site list serves all callers for an hour, and unreadable data counts as unknown.
import assert from "node:assert/strict";
import sinon from "sinon";
import { SiteDirectory } from "../../src/client/site-directory";
import type { Site } from "../../src/models/site";

const sites: Site[] = [
  { siteId: "one", systems: [{ systemId: "a", systemGeneration: "PC2" }] },
  {
    siteId: "two",
    systems: [
      { systemId: "a", systemGeneration: "PC1" },
      { systemId: "b", systemGeneration: "PC2" },
    ],
  },
];

describe("site directory", () => {
  let clock: sinon.SinonFakeTimers;
  let requests: number;
  let answer: (pc1: boolean) => Promise<Site[]>;
  let directory: SiteDirectory;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    requests = 0;
    answer = () => Promise.resolve(sites);
    directory = new SiteDirectory((pc1) => {
      requests += 1;
      return answer(pc1);
    });
  });
  afterEach(() => clock.restore());

  const generationOf = async (siteId: string, systemId?: string): Promise<string | undefined> =>
    (await directory.systemOf({ siteId, systemId })).generation;
  const onlySystem = async (siteId: string, options?: { pc1: boolean }): Promise<string | undefined> =>
    (await directory.systemOf({ siteId }, options)).systemId;

  it("knows the generation of a system, and of the only system of a site", async () => {
    assert.equal(await generationOf("one"), "PC2");
    assert.equal(await generationOf("two", "a"), "PC1");
    assert.equal(await generationOf("two", "b"), "PC2");
  });

  it("does not guess generations", async () => {
    assert.equal(await generationOf("two"), undefined);
    assert.equal(await generationOf("two", "c"), undefined);
    assert.equal(await generationOf("three"), undefined);
  });

  it("makes one request an hour, shared by concurrent callers", async () => {
    await Promise.all(Array.from({ length: 20 }, () => generationOf("one")));
    clock.tick(59 * 60_000);
    await generationOf("one");
    assert.equal(requests, 1);
    clock.tick(60_000);
    await generationOf("one");
    assert.equal(requests, 2);
  });

  it("does not wait long for a slow list, and uses it once it has arrived", async () => {
    clock.restore();
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    let arrive = (_sites: Site[]): void => undefined;
    answer = () => new Promise((resolve) => (arrive = resolve));
    const early = generationOf("one");
    await clock.tickAsync(3000);
    assert.equal(await early, undefined);
    arrive(sites);
    assert.equal(await generationOf("one"), "PC2");
    assert.deepEqual([requests, clock.countTimers()], [1, 0]);
  });

  it("knows nothing if the list cannot be read, and retries after five minutes", async () => {
    answer = () => Promise.reject(new Error("no answer"));
    assert.equal(await generationOf("one"), undefined);
    answer = () => Promise.resolve(sites);
    assert.equal(await generationOf("one"), undefined);
    clock.tick(5 * 60_000);
    assert.equal(await generationOf("one"), "PC2");
    assert.equal(requests, 2);
  });

  it("keeps the last list while a refresh fails or is slow", async () => {
    clock.restore();
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    assert.equal(await generationOf("one"), "PC2");
    clock.tick(60 * 60_000);
    answer = () => Promise.reject(new Error("no answer"));
    assert.equal(await generationOf("one"), "PC2");
    clock.tick(5 * 60_000);
    answer = () => new Promise(() => undefined);
    const late = generationOf("one");
    await clock.tickAsync(3000);
    assert.equal(await late, "PC2");
    assert.deepEqual([requests, clock.countTimers()], [3, 0]);
  });

  it("knows the id of a site's only system, and does not guess", async () => {
    const unnamed = { siteId: "unnamed", systems: [{ systemGeneration: "PC2" }] };
    answer = () => Promise.resolve([...sites, unnamed, { siteId: "empty", systems: [] }]);
    assert.equal(await onlySystem("one"), "a");
    for (const siteId of ["two", "unnamed", "empty", "elsewhere"])
      assert.equal(await onlySystem(siteId), undefined);
    assert.equal(requests, 1);
  });

  it("lists sites with PC1 systems separately", async () => {
    answer = (pc1) => Promise.resolve(pc1 ? [{ siteId: "old", systems: [{ systemId: "x" }] }] : sites);
    assert.equal(await onlySystem("old"), undefined);
    assert.equal(await onlySystem("old", { pc1: true }), "x");
    assert.equal(await onlySystem("old", { pc1: true }), "x");
    assert.equal(requests, 2);
  });

  it("does not know the system of a site if no list can be read", async () => {
    answer = () => Promise.reject(new Error("no answer"));
    assert.equal(await onlySystem("one"), undefined);
  });
});
