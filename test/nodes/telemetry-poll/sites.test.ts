// Tests for telemetry poll with sites and systems: which ones it reads, and what it finds out about them.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord, times } from "../../support/polling";
import { logsIn, storedSites, storedStates } from "../../support/stored-states";

describe("telemetry poll: sites and systems", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  it("reads every system of a site with *, each with its own messages and position", async () => {
    await polling.start({ siteId: "demo-twin", systemId: "*" });
    await polling.poll();
    assert.deepEqual(
      polling
        .sent()
        .map(({ topic }) => topic)
        .toSorted(),
      ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"],
    );
    polling.clock.setSystemTime(NOW + 5 * MINUTE);
    await polling.poll();
    assert.equal(polling.sent().length, 4);
    // One more holds when the node began, and one what the account knows of the site.
    assert.equal(storedStates(polling.userDir).size, 3);
    assert.equal(storedSites(polling.userDir).length, 1);
    assert.equal(logsIn(polling.userDir).length, 1);
  });

  it("gives the records of a site's only system the same ids, however it is addressed", async () => {
    const ids: unknown[] = [];
    for (const systemId of ["", "*", "demo-house-1"]) {
      await polling.start({ systemId, store: "none" });
      await polling.poll();
      ids.push(polling.sent()[0]?.energy.recordId);
      await polling.node.stop();
    }
    assert.deepEqual(new Set(ids).size, 1);
    assert.match(String(ids[0]), /^demo-house\/demo-house-1\/telemetry\//);
    await polling.start();
  });

  it("reads a site with * even if its systems have no id or are not listed", async () => {
    const nothing = { siteId: "demo-empty", systems: [] };
    const unnamed = { siteId: "demo-house", systems: [{ systemGeneration: "PC2" }] };
    polling.service.fault({ path: /sites$/, body: { sites: [nothing, unnamed, { siteId: "demo-farm" }] } });
    await polling.start({ siteId: "*", systemId: "*" });
    await polling.poll();
    const topics = polling.sent().map(({ topic }) => topic);
    // Of the first, the list says that it has one system; of the other one, the site's details say which.
    assert.deepEqual(topics.toSorted(), ["demo-farm/demo-farm-1", "demo-house"]);
  });

  it("reads every system with * that only the details show, also one that appears later", async () => {
    const systems = ["demo-twin-a"];
    const always = { times: Number.POSITIVE_INFINITY };
    polling.service.fault({ path: /sites$/, body: { sites: [{ siteId: "demo-twin" }] }, ...always });
    polling.service.fault({
      path: /sites\/demo-twin$/,
      ...always,
      respond(_request, response) {
        const body = { siteId: "demo-twin", systems: systems.map((systemId) => ({ systemId })) };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      },
    });
    const newTopics = async (minutes: number): Promise<string[]> => {
      const before = polling.sent().length;
      polling.at(minutes);
      await polling.poll();
      await polling.service.idle();
      const topics = polling.sent().slice(before);
      return [...new Set(topics.map(({ topic }) => topic))].toSorted();
    };
    await polling.start({ siteId: "*", systemId: "*" });
    assert.deepEqual(await newTopics(0), ["demo-twin/demo-twin-a"]);
    systems.push("demo-twin-b");
    const both = ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"];
    // The details are read again after an hour.
    await newTopics(70);
    assert.deepEqual(await newTopics(80), both);
    await polling.restart({ siteId: "*", systemId: "*", store: "none", startFrom: "hours", startHours: 1 });
    assert.deepEqual(await newTopics(90), both);
  });

  it("reports each system that fails in the first run, although only the details show them", async () => {
    const sites = [{ siteId: "demo-twin" }, { siteId: "demo-house" }];
    polling.service.fault({ path: /sites$/, body: { sites } });
    polling.service.fault({ path: /demo-twin\/telemetry/, status: 404, times: 2 });
    await polling.start({ siteId: "*", systemId: "*" });
    polling.node.input({});
    const caught = [await polling.node.caught<SentRecord>(), await polling.node.caught<SentRecord>()];
    const systems = caught.map(({ systemId }) => systemId);
    assert.deepEqual(systems.toSorted(), ["demo-twin-a", "demo-twin-b"]);
  });

  it("reads every system with * in the first run, although only the details show them", async () => {
    polling.service.fault({
      path: /sites$/,
      body: { sites: [{ siteId: "demo-twin" }, { siteId: "demo-house" }] },
    });
    await polling.start({ siteId: "*", systemId: "*" });
    await polling.poll();
    const topics = polling.sent().map(({ topic }) => topic);
    assert.deepEqual(topics.toSorted(), [
      "demo-house/demo-house-1",
      "demo-twin/demo-twin-a",
      "demo-twin/demo-twin-b",
    ]);
  });

  it("reads the other systems with * that only the details show, although one fails", async () => {
    polling.service.fault({ path: /sites$/, body: { sites: [{ siteId: "demo-twin" }] } });
    polling.service.fault({
      path: /telemetry$/,
      fits: ({ query }) => query["systemId"] === "demo-twin-a",
      status: 404,
      times: 9,
    });
    await polling.start({ siteId: "*", systemId: "*" });
    polling.node.input({});
    assert.equal((await polling.node.caught()).energy.error.code, "ENERGY_HTTP");
    assert.deepEqual(
      polling.sent().map(({ topic }) => topic),
      ["demo-twin/demo-twin-b"],
    );
  });

  it("reads every system of every site of the account with *, and reports which of them failed", async () => {
    polling.service.fault({ path: /demo-farm.telemetry/, status: 404, times: 9 });
    await polling.start({ siteId: "*" });
    polling.node.input({});
    const caught = await polling.node.caught<{ siteId: string }>();
    assert.equal(caught.siteId, "demo-farm");
    assert.equal(caught.energy.error.code, "ENERGY_HTTP");
    const systems = polling.sent().map(({ systemId }) => systemId);
    const expected = ["demo-balcony-1", "demo-cabin-1", "demo-house-1", "demo-twin-a", "demo-twin-b"];
    assert.deepEqual(systems.toSorted(), expected);
  });

  it("names the systems to choose from when a site has several", async () => {
    await polling.start({ siteId: "demo-twin" });
    polling.node.input({ payload: 1 });
    const caught = await polling.node.caught<{ payload: number }>();
    assert.match(caught.error.message, /demo-twin-a, demo-twin-b/);
    assert.equal(caught.energy.error.code, "ENERGY_SYSTEM_REQUIRED");
    assert.equal(caught.payload, 1);
  });

  it("distinguishes DC from AC where PC1 measures both, with one request for the site list", async () => {
    await polling.start({ siteId: "demo-farm", includeInverter: true, startFrom: "hours", startHours: 1 });
    await polling.poll();
    await polling.poll();
    const expected = { grid: "ac", solar: "dc", consumption: "ac", storage: "dc", inverter: "ac" };
    const bases = [...polling.sent(1), ...polling.sent(2)].map(({ energy }) => energy.basis);
    assert.equal(bases.length, 12 + 1);
    for (const basis of bases) assert.deepEqual(basis, expected);
    assert.equal(polling.service.requestsTo(/sites$/).length, 1);
  });

  it("delivers records even if nothing is known about the system that it is told to read", async () => {
    polling.service.fault({ path: /sites$/, status: 501 });
    await polling.start({ systemId: "demo-house-1" });
    await polling.poll();
    assert.equal(polling.sent().length, 1);
    assert.equal("basis" in (polling.sent()[0]?.energy ?? {}), false);
  });

  it("requests the inverter group only if set to", async () => {
    await polling.start({ siteId: "demo-farm", includeInverter: true });
    await polling.poll();
    assert.ok(polling.sent()[0]?.payload.inverter);
    assert.equal(polling.queries()[0]?.includeInverter, "true");
    await polling.restart({ siteId: "demo-farm" });
    await polling.poll({ later: true });
    assert.equal("includeInverter" in (polling.queries().at(-1) ?? {}), false);
  });
});

describe("telemetry poll: a service that fails for the long windows of all sites", () => {
  const HOURS_BACK = 12;
  const SYSTEMS = 6;
  let polling: Polling;

  beforeEach(async () => {
    const defaults = { siteId: "*", systemId: "*", startFrom: "hours", startHours: HOURS_BACK };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
    const isLong = ({ query }: { query: Record<string, string> }): boolean => {
      const [startTime = 0, endTime = 0] = times([query["startTime"] ?? "", query["endTime"] ?? ""]);
      return endTime - startTime > 6 * HOUR;
    };
    polling.service.fault({ path: /telemetry$/, fits: isLong, status: 500, times: Number.POSITIVE_INFINITY });
  });
  afterEach(() => polling.close());

  it("is retried as any other during a short outage", async () => {
    polling.service.clearFaults();
    polling.service.fault({ path: /telemetry$/, status: 503, times: 7 });
    await polling.start();
    await polling.advanceUntil(polling.poll());
    assertAllSent();
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });

  /** Where the first of them begins, and what comes after the last, depends on how long requests were retried. */
  const assertAllSent = (): void => {
    const ends = expectedEnds(NOW - (HOURS_BACK - 1) * HOUR, NOW);
    const sent = endsOf(polling.sent()).filter((end) => ends.includes(end));
    assert.equal(sent.length, SYSTEMS * ends.length);
  };

  it("reads all in parts, in one run", async () => {
    await polling.start();
    await polling.advanceUntil(polling.poll());
    assertAllSent();
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });

  it("also after an outage", async () => {
    let isDown = true;
    const fits = (): boolean => isDown;
    polling.service.fault({ path: /telemetry$/, fits, status: 500, times: Number.POSITIVE_INFINITY });
    await polling.start();
    polling.node.input({});
    const { energy } = await polling.advanceUntil(polling.node.caught());
    assert.deepEqual([energy.error.statusCode, polling.sent()], [500, []]);
    isDown = false;
    await polling.advance(60);
    await polling.advanceUntil(polling.poll());
    assertAllSent();
  });
});
