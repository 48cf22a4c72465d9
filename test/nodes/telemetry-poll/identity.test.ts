// Tests that a series is one, however a node names it, and whatever the site list says or fails to say.
import assert from "node:assert/strict";
import { DAY, MINUTE } from "../../../src/time-units";
import { startNode } from "../../support/flow";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord } from "../../support/polling";
import { credentialsFor } from "../../support/service";
import { storedSites } from "../../support/stored-states";

describe("telemetry poll: one series", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  const times = Number.POSITIVE_INFINITY;
  /** List and details of sites fail. */
  const down = (): void => {
    for (const path of [/v1\/sites$/, /v1\/sites\/[^/]+$/])
      polling.service.fault({ path, status: 501, times });
  };
  const up = (sites?: object[]): void => {
    polling.service.clearFaults();
    if (sites) polling.service.fault({ path: /v1\/sites$/, body: { sites }, times });
  };
  const idsOf = (messages: SentRecord[]): string[] => [
    ...new Set(messages.map(({ energy }) => energy.recordId.split("/").slice(0, 3).join("/"))),
  ];
  const HOUSE = ["demo-house/demo-house-1/telemetry"];

  it("goes on with the same ids and position after a restart without list and details", async () => {
    await polling.start();
    await polling.poll();
    down();
    polling.at(10);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(idsOf(polling.sent()), HOUSE);
    assert.deepEqual(storedSites(polling.userDir), [
      {
        siteId: "demo-house",
        systems: [
          {
            systemId: "demo-house-1",
            generation: "PC2",
            equipment: { solar: "VENDOR", storage: true },
          },
        ],
        name: "Demo house",
        timezone: "Europe/Berlin",
      },
    ]);
  });

  it("looks up again what a site stands for once its account is moved to another service", async () => {
    await polling.start();
    await polling.poll();
    await polling.node.stop();
    up([{ siteId: "demo-house", systems: [{ systemId: "demo-house-2" }] }]);
    polling.service.requests.length = 0;
    const baseUrl = polling.service.baseUrl.replace("127.0.0.1", "localhost");
    const account = { baseUrl, apiVersion: "2026-01-01.preview" };
    const credentials = credentialsFor(polling.service.baseUrl);
    const options = { account, credentials, userDir: polling.userDir };
    polling.node = await startNode("energy-telemetry-poll", { siteId: "demo-house" }, options);
    polling.node.input({});
    await polling.node.caught();
    assert.deepEqual(new Set(polling.queries().map(({ systemId }) => systemId)), new Set(["demo-house-2"]));
  });

  it("fails while it does not know the system, and makes nothing up", async () => {
    down();
    await polling.start();
    polling.node.input({});
    const { energy } = await polling.node.caught();
    assert.equal(energy.error.code, "ENERGY_HTTP");
    assert.deepEqual([polling.sent().length, storedSites(polling.userDir)], [0, []]);
    up();
    await polling.poll();
    assert.deepEqual(idsOf(polling.sent()), HOUSE);
  });

  it("goes on from one position, by site, by system, and by *", async () => {
    let minutes = 0;
    const sent: SentRecord[] = [];
    await polling.start();
    for (const properties of [{}, { systemId: "demo-house-1" }, { systemId: "*" }, {}]) {
      await polling.restart(properties);
      polling.at(minutes);
      await polling.poll();
      sent.push(...polling.sent());
      minutes += 10;
    }
    assert.deepEqual(endsOf(sent).slice(1), expectedEnds(NOW, NOW + 30 * MINUTE));
    assert.deepEqual(new Set(sent.map(({ topic }) => topic)), new Set(["demo-house/demo-house-1"]));
  });

  it("keeps the series of a site whose systems a list leaves out", async () => {
    await polling.start({ siteId: "*", systemId: "*" });
    up([{ siteId: "demo-house", systems: [{ systemId: "demo-house-1" }] }]);
    await polling.poll();
    up([{ siteId: "demo-house" }]);
    polling.at(10);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()).slice(1), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(idsOf(polling.sent()), HOUSE);
  });

  it("starts a system that appears where the last list without it was read, also after a restart", async () => {
    const house = { siteId: "demo-house", systems: [{ systemId: "demo-house-1" }] };
    up([house]);
    await polling.start({ siteId: "*", systemId: "*" });
    await polling.poll();
    polling.at(10);
    await polling.poll();
    down();
    polling.at(30);
    polling.node.input({});
    await polling.node.caught();
    await polling.restart({ siteId: "*", systemId: "*" });
    up([house, { siteId: "demo-farm", systems: [{ systemId: "demo-farm-1" }] }]);
    polling.at(60);
    await polling.poll();
    const farm = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
    assert.deepEqual(endsOf(farm), expectedEnds(NOW + 10 * MINUTE, NOW + 60 * MINUTE));
  });

  it("starts a system that appears at least as many hours back as the node is set to", async () => {
    const [house, farm] = ["demo-house", "demo-farm"].map((siteId) => ({
      siteId,
      systems: [{ systemId: `${siteId}-1` }],
    }));
    up([house].flatMap((one) => one ?? []));
    await polling.start({ siteId: "*", systemId: "*", startFrom: "hours", startHours: 2 });
    await polling.poll();
    up([house, farm].flatMap((one) => one ?? []));
    polling.at(10);
    await polling.poll();
    const sent = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
    assert.deepEqual(endsOf(sent), expectedEnds(NOW - 110 * MINUTE, NOW + 10 * MINUTE));
  });

  it("starts a site where the last list without it was read, also if only its details show its system", async () => {
    up([{ siteId: "demo-house" }]);
    await polling.start({ siteId: "*", systemId: "*" });
    await polling.poll();
    polling.at(10);
    await polling.poll();
    await polling.restart({ siteId: "*", systemId: "*" });
    up([{ siteId: "demo-house" }, { siteId: "demo-farm" }]);
    polling.at(60);
    await polling.poll();
    const farm = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
    assert.deepEqual(endsOf(farm), expectedEnds(NOW + 10 * MINUTE, NOW + 60 * MINUTE));
  });

  it("starts a site where the last list without it was read, days after a start with a clock that was a day ahead", async () => {
    await polling.start();
    await polling.close();
    const ahead = 24 * 60;
    polling = await Polling.open("energy-telemetry-poll", {}, { serviceAhead: -ahead * MINUTE });
    const all = { siteId: "*", systemId: "*" };
    const house = { siteId: "demo-house", systems: [{ systemId: "demo-house-1" }] };
    up([house]);
    await polling.start(all);
    polling.at(ahead);
    await polling.poll();
    polling.at(ahead + 10);
    await polling.poll();
    await polling.node.stop();
    polling.at(ahead + 25 * 60);
    up([house, { siteId: "demo-farm", systems: [{ systemId: "demo-farm-1" }] }]);
    await polling.start(all);
    await polling.poll();
    const farm = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
    assert.deepEqual(endsOf(farm), expectedEnds(NOW + 10 * MINUTE, NOW + 25 * 60 * MINUTE));
  });

  it("starts a site where the node began, if the last list without it was read while the service's date was a day ahead", async () => {
    const [house, farm] = ["demo-house", "demo-farm"].map((siteId) => ({
      siteId,
      systems: [{ systemId: `${siteId}-1` }],
    }));
    up([house ?? {}]);
    await polling.start({ siteId: "*", systemId: "*" });
    await polling.poll();
    for (const minutes of [5, 10]) {
      polling.at(minutes);
      const headers = { date: new Date(Date.now() + DAY).toUTCString() };
      polling.service.fault({ path: /v1\/sites$/, body: { sites: [house] }, headers, times });
      polling.service.fault({ path: /telemetry$/, dateBy: DAY, times });
      await polling.poll();
    }
    up([house ?? {}, farm ?? {}]);
    for (const minutes of [60, 65]) {
      polling.at(minutes);
      await polling.poll();
    }
    const sent = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
    assert.deepEqual(endsOf(sent), expectedEnds(NOW, NOW + 65 * MINUTE));
  });

  it("starts the system that replaces another of a site where the last list without it was read", async () => {
    const pollAt = async (...times: number[]): Promise<void> => {
      for (const minutes of times) {
        polling.at(minutes);
        await polling.poll();
        await polling.service.idle();
      }
    };
    up([{ siteId: "demo-twin", systems: [{ systemId: "demo-twin-a" }] }]);
    await polling.start({ siteId: "demo-twin" });
    await pollAt(0, 70, 80);
    up([{ siteId: "demo-twin", systems: [{ systemId: "demo-twin-b" }] }]);
    await pollAt(140, 150);
    const sent = polling.sent().filter(({ topic }) => topic === "demo-twin/demo-twin-b");
    assert.deepEqual(endsOf(sent), expectedEnds(NOW + 70 * MINUTE, NOW + 150 * MINUTE));
  });

  for (const ahead of [120, -120])
    it(`starts a site where the last list without it was read, if the clock is ${ahead} min ahead`, async () => {
      await polling.start();
      await polling.close();
      polling = await Polling.open("energy-telemetry-poll", {}, { serviceAhead: -ahead * MINUTE });
      const house = { siteId: "demo-house", systems: [{ systemId: "demo-house-1" }] };
      up([house]);
      await polling.start({ siteId: "*", systemId: "*" });
      await polling.poll();
      up([house, { siteId: "demo-farm", systems: [{ systemId: "demo-farm-1" }] }]);
      polling.at(ahead + 30);
      await polling.poll();
      const farm = polling.sent().filter(({ siteId }) => siteId === "demo-farm");
      assert.deepEqual(endsOf(farm), expectedEnds(NOW, NOW + 30 * MINUTE));
    });

  it("takes the system of a job from the ledger that it brings", async () => {
    await polling.start({ store: "message" });
    polling.node.input({});
    const { energy } = await polling.node.completed();
    assert.match(JSON.stringify(energy), /"series":"demo-house\/demo-house-1\/telemetry"/);
    down();
    polling.at(10);
    await polling.restart({ store: "message" });
    polling.node.input({ energy });
    await polling.node.completed();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(idsOf(polling.sent()), HOUSE);
  });

  it("goes on from the ledger of a job of a site without systems once there is one", async () => {
    up([{ siteId: "demo-house", systems: [] }]);
    polling.service.fault({ path: /sites\/demo-house$/, body: { siteId: "demo-house", systems: [] }, times });
    await polling.start({ store: "message" });
    polling.node.input({});
    const { energy } = await polling.node.completed();
    assert.match(JSON.stringify(energy), /"series":"demo-house\/\/telemetry"/);
    up();
    polling.at(10);
    await polling.restart({ store: "message" });
    polling.node.input({ energy });
    await polling.node.completed();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(idsOf(polling.sent()), HOUSE);
  });

  it("goes on as the only system of a site, and asks which one is meant once a list shows two", async () => {
    const systems = [{ systemId: "demo-house-1" }, { systemId: "demo-house-2" }];
    await polling.start();
    await polling.poll();
    up([{ siteId: "demo-house", systems }]);
    polling.at(10);
    await polling.poll();
    // The list is read again after an hour.
    polling.at(70);
    await polling.poll();
    await polling.service.idle();
    polling.node.input({});
    const { error, energy } = await polling.node.caught();
    assert.equal(energy.error.code, "ENERGY_SYSTEM_REQUIRED");
    assert.match(error.message, /demo-house-1.*demo-house-2/);
    const sent = [...polling.sent()];
    polling.at(80);
    await polling.restart({ systemId: "demo-house-1" });
    await polling.poll();
    sent.push(...polling.sent());
    assert.deepEqual(endsOf(sent).slice(1), expectedEnds(NOW, NOW + 80 * MINUTE));
    assert.deepEqual(idsOf(sent), HOUSE);
  });

  it("hands the position of a site without systems over to the system that appears", async () => {
    up([{ siteId: "demo-house", systems: [] }]);
    polling.service.fault({ path: /sites\/demo-house$/, body: { siteId: "demo-house", systems: [] }, times });
    await polling.start();
    await polling.poll();
    polling.at(10);
    await polling.poll();
    up();
    // The list is read again after an hour.
    polling.at(70);
    await polling.poll();
    polling.at(80);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()).slice(1), expectedEnds(NOW, NOW + 80 * MINUTE));
    assert.deepEqual(
      [...new Set(polling.sent().map(({ topic }) => topic))],
      ["demo-house", "demo-house/demo-house-1"],
    );
  });

  it("hands it over once: a second system starts where the last list without it was read", async () => {
    const showSystems = (...ids: string[]): void => {
      const systems = ids.map((systemId) => ({ systemId }));
      up([{ siteId: "demo-house", ...(ids.length > 0 && { systems }) }]);
      polling.service.fault({ path: /sites\/demo-house$/, body: { siteId: "demo-house", systems }, times });
    };
    showSystems();
    await polling.start({ siteId: "*" });
    await polling.poll();
    showSystems("demo-house-1");
    polling.at(70);
    await polling.poll();
    polling.at(80);
    await polling.poll();
    showSystems("demo-house-1", "demo-house-2");
    const isSecond = ({ query }: { query: Record<string, string> }): boolean =>
      query["systemId"] === "demo-house-2";
    polling.service.fault({ path: /telemetry$/, fits: isSecond, body: { data: [] }, times });
    polling.at(90);
    await polling.poll();
    const [first] = polling.service.requestsTo(/telemetry$/).filter(isSecond);
    assert.equal(first?.query["startTime"], new Date(NOW + 80 * MINUTE).toISOString());
    assert.deepEqual(endsOf(polling.sent()).slice(1), expectedEnds(NOW, NOW + 90 * MINUTE));
  });
});
