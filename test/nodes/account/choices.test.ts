// Tests for the routes that list sites, systems and values of a deployed account for the dialogs.
import assert from "node:assert/strict";
import type {
  DayAnswer,
  SiteChoice,
  SitesAnswer,
  SystemChoice,
  ValueNow,
} from "../../../src/choices/choices";
import sinon from "sinon";
import { HOUR, MINUTE } from "../../../src/time-units";
import { adminGet, faultOf } from "../../support/admin";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { serveSites, siteIds } from "../../support/many-sites";
import { startService, type TestService } from "../../support/service";

const PREVIEW = "2026-01-01.preview";

/** The end of the record that holds the values. */
function endOf(values: ValueNow[]): number {
  return Date.parse(String(values.find(({ path }) => path === "endTime")?.value));
}

describe("lists for the dialogs of a deployed account", () => {
  let service: TestService;
  let node: NodeUnderTest;

  let clock: sinon.SinonFakeTimers;

  beforeEach(async () => {
    service = await startService();
    clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldClearNativeTimers: true });
  });
  afterEach(async () => {
    sinon.restore();
    await node.stop();
    await service.close();
  });

  const start = async (account: Record<string, unknown> = {}): Promise<void> => {
    node = await startNode(
      "energy-site-list",
      { output: "list" },
      { account: { baseUrl: service.baseUrl, apiVersion: PREVIEW, ...account } },
    );
  };
  const sites = (query = ""): Promise<SitesAnswer> => adminGet(`the-account/sites${query}`);
  /** The answer once all charges have been read. */
  const read = async (query = ""): Promise<SitesAnswer> => {
    const answer = await sites(query);
    if (!answer.pending) return answer;
    await service.idle();
    return read(query);
  };

  /** The answer once charges have been waited for in vain. */
  const afterWaiting = async <T>(answer: Promise<T>, hold: ReturnType<TestService["hold"]>): Promise<T> => {
    await hold.arrived();
    await clock.tickAsync(1500);
    return answer;
  };

  it("show the sites with their place, generation and charge", async () => {
    await start();
    const { sites: found, total, all } = await read();
    assert.deepEqual([total, all, found.length], [6, 6, 6]);
    const { charge, ...house } = found.find(({ siteId }) => siteId === "demo-house") as SiteChoice;
    assert.deepEqual(house, {
      siteId: "demo-house",
      name: "Demo house",
      place: "Berlin",
      generations: ["PC2"],
      systemCount: 1,
      searched: "demo house\ndemo-house\nberlin\nde\npc2",
    });
    assert.ok(typeof charge === "number" && charge > 0 && charge <= 100, String(charge));
    for (const siteId of ["demo-balcony", "demo-twin", "demo-empty"])
      assert.equal(found.find((site) => site.siteId === siteId)?.charge, undefined, siteId);
  });

  it("search on the server, with one request for the list and one for each charge", async () => {
    await start();
    const answers = [
      await read("?search=berlin"),
      await read("?search=demo%20farm"),
      await read("?search=nothing"),
    ];
    assert.deepEqual(
      answers.map(({ sites: found, total, all }) => [found[0]?.siteId, total, all]),
      [
        ["demo-house", 1, 6],
        ["demo-farm", 1, 6],
        [undefined, 0, 6],
      ],
    );
    await read("?search=berlin");
    assert.equal(service.requestsTo(/v1\/sites$/).length, 1);
    const paths = service.requestsTo(/telemetry$/).map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length);
  });

  it("answer with names alone, without reading charges", async () => {
    await start();
    const answer = await sites("?ids=demo-farm%0Agone%0Ademo-house&search=x");
    assert.deepEqual(
      answer.sites.map(({ name }) => name),
      ["Demo farm", "Demo house"],
    );
    assert.equal(service.requestsTo(/telemetry$/).length, 0);
    service.fault({ path: /sites$/, status: 500, times: Number.POSITIVE_INFINITY });
    assert.equal((await sites("?ids=demo-farm")).sites.length, 1);
  });

  it("answer with the name of a site whose id has a comma", async () => {
    service.fault({ path: /sites$/, body: [{ siteId: "a,b", siteName: "Alm" }, { siteId: "a" }] });
    await start();
    assert.deepEqual(
      (await sites("?ids=a,b")).sites.map(({ name }) => name),
      ["Alm"],
    );
  });

  it("mark the sites that the account hides because it did not opt in to PC1", async () => {
    await start({ apiVersion: "" });
    const { sites: found, all } = await read();
    const hidden = found.filter(({ isPc1Needed }) => isPc1Needed).map(({ siteId }) => siteId);
    assert.deepEqual(hidden, ["demo-balcony", "demo-cabin", "demo-farm", "demo-twin"]);
    assert.equal(all, 6);
    assert.ok(service.requestsTo(/telemetry$/).every(({ path }) => !/balcony|farm|cabin|twin/.test(path)));
  });

  it("show what the account sees if the service refuses the preview version", async () => {
    service.fault({
      path: /sites$/,
      status: 400,
      times: Number.POSITIVE_INFINITY,
      fits: ({ headers }) => headers["vendorapi-version"] !== undefined,
    });
    await start({ apiVersion: "" });
    assert.equal((await sites()).all, 2);
  });

  it("answer without the charges that take long, and with them later", async () => {
    const hold = service.hold(/telemetry$/);
    await start();
    const first = await afterWaiting(sites(), hold);
    assert.equal(first.pending, true);
    assert.ok(first.sites.every(({ charge }) => charge === undefined));
    hold.release();
    assert.ok((await read()).sites.some(({ charge }) => charge !== undefined));
  });

  it("leave a charge out that is old, cannot be read, or is not a percentage", async () => {
    service.fault({ path: /farm\/telemetry$/, status: 500, times: Number.POSITIVE_INFINITY });
    service.changeRecords((siteId, _systemId, record) => {
      if (siteId === "demo-house") return { ...record, storage: { stateOfCharge: 101 } };
      return siteId === "demo-cabin" ? { ...record, storage: null } : record;
    });
    await start();
    const { sites: found } = await read();
    assert.ok(
      found.every(({ charge }) => charge === undefined),
      JSON.stringify(found),
    );
    assert.equal(service.requestsTo(/farm\/telemetry$/).length, 1);
  });

  it("read no charge of a system whose capabilities list no storage, or one of no capacity", async () => {
    const capabilities = [{ storage: null }, {}, { storage: { capacityEnergy: 0 } }];
    const body = capabilities.map((shown, index) => {
      return { siteId: `site-${index}`, systems: [{ systemId: "system", capabilities: shown }] };
    });
    service.fault({ path: /sites$/, body });
    await start();
    assert.equal((await read()).all, 3);
    assert.equal(service.requestsTo(/telemetry$/).length, 0);
  });

  it("read one charge at a time, and at most fifteen a minute", async () => {
    serveSites(service, siteIds(60));
    const hold = service.hold(/telemetry$/);
    await start({ concurrency: 8 });
    const first = await afterWaiting(sites(), hold);
    assert.deepEqual([first.sites.length, first.total], [50, 60]);
    assert.equal(service.requestsTo(/telemetry$/).length, 1);
    hold.release();
    while (service.requestsTo(/telemetry$/).length < 15) await service.idle();
    assert.equal((await sites()).pending, true);
    await service.idle();
    assert.equal(service.requestsTo(/telemetry$/).length, 15);
  });

  it("show no charge that was read more than 5 minutes ago", async () => {
    await start();
    const chargeOf = ({ sites: found }: SitesAnswer): number | undefined =>
      found.find(({ siteId }) => siteId === "demo-house")?.charge;
    assert.ok(chargeOf(await read()));
    const now = performance.now();
    sinon.stub(performance, "now").returns(now + 5 * 60_000);
    assert.equal(chargeOf(await afterWaiting(sites(), service.hold(/telemetry$/))), undefined);
  });

  it("search 10,000 sites", async () => {
    serveSites(service, siteIds(10_000));
    await start();
    assert.equal((await sites("?ids=site-9999")).sites[0]?.siteId, "site-9999");
    assert.equal((await sites("?search=site-99")).total, 111);
  });

  it("show the systems of a site, with their capacity and meter", async () => {
    await start({ apiVersion: "" });
    assert.deepEqual(await adminGet<SystemChoice[]>("the-account/systems?siteId=demo-twin"), [
      { systemId: "demo-twin-a", generation: "PC1", capacity: 12000, hasMeter: true },
      { systemId: "demo-twin-b", generation: "PC1", capacity: 6000, hasMeter: false },
    ]);
    const systems = await adminGet<SystemChoice[]>("the-account/systems?siteId=demo-house");
    assert.deepEqual(systems, [
      { systemId: "demo-house-1", generation: "PC2", capacity: 13500, solarPower: 8200, hasMeter: false },
    ]);
  });

  it("show the values of the newest record", async () => {
    await start();
    const values = await adminGet<ValueNow[]>("the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.ok(
      values.some(({ path, value }) => path === "storage.stateOfCharge" && typeof value === "number"),
    );
    assert.ok(Math.abs(endOf(values) - Date.now()) < 15 * MINUTE);
    const twin = await adminGet<ValueNow[]>("the-account/values?siteId=demo-twin&systemId=demo-twin-b");
    assert.ok(twin.some(({ path }) => path === "inverter.power"));
    assert.deepEqual(
      service.requestsTo(/telemetry$/).map(({ query }) => query["includeInverter"]),
      ["true", "true"],
    );
  });

  it("show the values of an old record, and none without a record", async () => {
    await start();
    service.hideRecords((_siteId, _systemId, { endTime }) => Date.parse(endTime) > Date.now() - 60 * MINUTE);
    const old = await adminGet<ValueNow[]>("the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.ok(endOf(old) <= Date.now() - 60 * MINUTE);
    service.hideRecords(() => true);
    assert.deepEqual(
      await adminGet<ValueNow[]>("the-account/values?siteId=demo-house&systemId=demo-house-1"),
      [],
    );
  });

  it("show the values of an old record if the service does not answer for a whole day", async () => {
    await start();
    service.hideRecords((_siteId, _systemId, { endTime }) => Date.parse(endTime) > Date.now() - 2 * HOUR);
    const isLong = (query: Record<string, string>): boolean =>
      Date.parse(query["endTime"] ?? "") - Date.parse(query["startTime"] ?? "") > 6 * HOUR;
    service.fault({ path: /telemetry$/, fits: ({ query }) => isLong(query), status: 504, times: Infinity });
    const values = await adminGet<ValueNow[]>("the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.ok(values.length > 0);
  });

  it("show no value of a record that begins in the future", async () => {
    await start();
    const [startTime, endTime] = [10, 15].map((later) => new Date(Date.now() + later * MINUTE).toISOString());
    service.fault({ path: /telemetry$/, body: { data: [{ startTime, endTime, grid: { power: 1 } }] } });
    const values = await adminGet<ValueNow[]>("the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.ok(endOf(values) <= Date.now());
  });

  it("show a value over the day before, by the clocks of its site", async () => {
    await start();
    const path = "the-account/day?siteId=demo-house&systemId=demo-house-1&path=storage.stateOfCharge";
    const { zone, start: first, end, values } = await adminGet<DayAnswer>(path);
    assert.equal(zone, "Europe/Berlin");
    assert.match(new Date(first).toLocaleTimeString("en-GB", { timeZone: zone }), /^00:00/);
    assert.ok(end < Date.now() && end - first >= 23 * HOUR);
    assert.equal(values.length, (end - first) / (5 * MINUTE));
    assert.ok(values.every(([at, value]) => at > first && at <= end && typeof value === "number"));
    const unknown = path.replace("demo-house-1", "made-up");
    assert.deepEqual(await faultOf("get", unknown), { status: 400, key: "idNotListed" });
  });

  it("say why the day before cannot be read, although the present is answered", async () => {
    await start();
    const isOld = ({ endTime = "" }: Record<string, string>): boolean =>
      Date.parse(endTime) < Date.now() - MINUTE;
    service.fault({ path: /telemetry$/, fits: ({ query }) => isOld(query), status: 504, times: Infinity });
    const path = "the-account/day?siteId=demo-house&systemId=demo-house-1&path=storage.stateOfCharge";
    const { status, key } = await faultOf("get", path);
    assert.deepEqual([status, key], [502, "serviceSays"]);
  });

  it("show a value over the day before, by the clock of Node-RED where that of the site is unknown", async () => {
    const systems = [{ systemId: "demo-house-1" }];
    service.fault({ path: /sites$/, body: [{ siteId: "demo-house", timezone: "Mars/Olympus", systems }] });
    await start();
    const path = "the-account/day?siteId=demo-house&systemId=demo-house-1&path=storage.stateOfCharge";
    const { zone, values } = await adminGet<DayAnswer>(path);
    assert.equal(zone, Intl.DateTimeFormat().resolvedOptions().timeZone);
    assert.ok(values.length > 200);
  });

  it("say what is wrong", async () => {
    await start({ apiVersion: "" });
    for (const [path, status, key] of [
      ["nowhere/sites", 400, "accountNotDeployed"],
      ["node-under-test/sites", 400, "accountNotDeployed"],
      ["__proto__/sites", 400, "accountNotDeployed"],
      ["the-account/systems", 400, "siteMissing"],
      ["the-account/values?siteId=demo-house", 400, "siteMissing"],
      ["the-account/systems?siteId=a%0Ab", 400, "idInvalid"],
      [`the-account/values?siteId=${"a".repeat(256)}`, 400, "idInvalid"],
      ["the-account/values?siteId=demo-house&systemId=%00", 400, "idInvalid"],
      ["the-account/systems?siteId=..", 400, "idInvalid"],
    ] as const) {
      assert.deepEqual(await faultOf("get", path), { status, key }, path);
    }
    assert.equal(service.requests.filter(({ path }) => path.includes("..")).length, 0);
  });

  it("say that the service is down, and neither retry nor remember it", async () => {
    service.fault({ path: /sites$/, status: 503, times: 1 });
    await start();
    assert.deepEqual(await faultOf("get", "the-account/sites"), { status: 502, key: "serviceSays" });
    assert.equal(service.requestsTo(/sites$/).length, 1);
    assert.equal((await sites()).all, 6);
  });

  it("say that the account was closed during the request", async () => {
    const hold = service.hold(/sites$/);
    await start();
    const answer = faultOf("get", "the-account/sites");
    await hold.arrived();
    await node.closeAccount();
    assert.deepEqual(await answer, { status: 502, key: "accountClosed" });
    hold.release();
  });

  it("leave the status and the log of the account's nodes alone", async () => {
    service.fault({ path: /sites$/, status: 500, times: Number.POSITIVE_INFINITY });
    await start();
    await faultOf("get", "the-account/sites");
    assert.deepEqual([node.statuses(), node.caughtSoFar()], [[], []]);
    assert.doesNotMatch(node.logged(), /(?<!\d)500(?!\d)/);
  });

  it("request nothing that the account does not list", async () => {
    await start();
    for (const path of [
      "systems?siteId=made-up",
      "values?siteId=made-up&systemId=made-up",
      "values?siteId=demo-house&systemId=made-up",
    ])
      assert.deepEqual(
        await faultOf("get", `the-account/${path}`),
        { status: 400, key: "idNotListed" },
        path,
      );
    assert.equal(service.requests.filter(({ url }) => url.includes("made-up")).length, 0);
  });

  it("make two requests at a time, and thirty a minute", async () => {
    serveSites(service, siteIds(60));
    await start({ concurrency: 8 });
    await sites("?ids=site-1");
    const before = service.requests.length;
    const hold = service.hold(/sites\/site-\d+$/);
    const asked = siteIds(60).map((siteId) => faultOf("get", `the-account/systems?siteId=${siteId}`));
    await hold.arrived(2);
    await service.idle();
    assert.equal(service.requests.length - before, 2);
    hold.release();
    while (service.requests.length < 30) await service.idle();
    await service.idle();
    assert.equal(service.requests.length, 30);
    // Those that still wait give up.
    await clock.tickAsync(14_000);
    const faults = await Promise.all(asked);
    assert.ok(faults.some(({ key }) => key === "noAnswer"));
    node.input({});
    await node.output();
  });

  it("pause only themselves when the service gets too many requests", async () => {
    await start();
    await sites("?ids=demo-house");
    service.fault({ path: /telemetry$/, status: 429, headers: { "retry-after": "3600" } });
    assert.equal(
      (await faultOf("get", "the-account/values?siteId=demo-house&systemId=demo-house-1")).status,
      502,
    );
    const before = service.requests.length;
    await faultOf("get", "the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.equal(service.requests.length, before);
    node.input({});
    await node.output();
  });

  it("wait out the pause that the service has requested of the account, and are no probe of it", async () => {
    await start();
    await sites("?ids=demo-house");
    service.fault({ path: /sites$/, status: 429, headers: { "retry-after": "3600" } });
    node.input({});
    await node.caught();
    const before = service.requests.length;
    await faultOf("get", "the-account/values?siteId=demo-house&systemId=demo-house-1");
    assert.equal(service.requests.length, before);
  });

  it("belong to demo accounts, too, which show all sites without any setting", async () => {
    await start({ service: "demo", baseUrl: "", apiVersion: "" });
    const { all, sites: found } = await read();
    assert.equal(all, 6);
    assert.ok(found.every(({ isPc1Needed }) => isPc1Needed === undefined));
    assert.equal(service.requests.length, 0);
  });
});
