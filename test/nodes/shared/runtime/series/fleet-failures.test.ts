// Tests for scheduled runs over a fleet of which some or all sites fail: what is asked, reported and shown, and that nothing is lost.
import assert from "node:assert/strict";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PartialFailure } from "../../../../../nodes/shared/runtime/base/errors";
import { retrySeconds } from "../../../../../nodes/shared/runtime/lifecycle/failures";
import { FleetError, NetworkError, ServiceDownError } from "../../../../../src/errors";
import { MINUTE } from "../../../../../src/time-units";
import { NODE, reportOf } from "../../../../support/diagnostics";
import { Fleet } from "../../../../support/fleet";
import { siteIds } from "../../../../support/many-sites";

const SITES = 8;

describe("a scheduled fleet", () => {
  // Simulated hours in quarters of a second.
  let fleet: Fleet;

  beforeEach(async () => {
    fleet = await Fleet.open(SITES, 2);
  });
  afterEach(() => fleet.close());

  const start = (repeat = 5): Promise<void> => fleet.start("energy-telemetry-poll", { repeat });
  const requestsOf = (siteId: string): number => fleet.sites.requested().filter((id) => id === siteId).length;
  const errors = (): string[] => fleet.node.caughtSoFar().map(({ error }) => error.message);
  const status = (): string | undefined => fleet.node.statuses().findLast((text) => text !== "reading");

  it("makes a handful of requests and one error of a service that is down, and goes on soon after it is back", async () => {
    await start(60);
    fleet.sites.statusOf = () => 503;
    await fleet.pass(62);
    assert.deepEqual(
      errors().map((text) => text.replace(/_.*$/, "")),
      ["The service responds with errors (503). Try again later. All 8 sites failed."],
    );
    assert.equal(status(), "service down (503)");
    const before = fleet.sites.requested().length;
    assert.ok(before <= 15, `${before} requests`);
    fleet.sites.statusOf = () => 200;
    // The next scheduled run is more than half an hour away.
    await fleet.pass(5);
    assert.ok(fleet.sites.requested().length >= before + SITES);
    assert.equal(status(), "8 of 8 fresh");
    assert.equal(errors().length, 1);
  });

  it("goes on soon after an outage that it noticed by itself, as with two sites", async () => {
    fleet.sites.ids = siteIds(2);
    await start(60);
    fleet.sites.statusOf = () => 503;
    await fleet.pass(60);
    assert.match(errors().join(), / All 2 sites failed\.$/);
    fleet.sites.statusOf = () => 200;
    await fleet.pass(3);
    assert.equal(status(), "2 of 2 fresh");
  });

  it("reports a token that is refused in the middle of a run once for all sites", async () => {
    await start(60);
    const answered = new Set<string>();
    fleet.sites.statusOf = (siteId) => {
      if (answered.size < 4) answered.add(siteId);
      return answered.has(siteId) ? 200 : 401;
    };
    await fleet.pass(63);
    assert.equal(errors().length, 1);
    assert.match(errors()[0] ?? "", /401.* 4 of 8 sites failed\.$/);
    assert.equal(status(), "4 of 8 fresh, 4 failing");
  });

  it("says at once that the service failed, however slowly its requests are spread", async () => {
    fleet.sites.ids = siteIds(100);
    await start(60);
    fleet.sites.statusOf = () => 401;
    await fleet.pass(58);
    assert.equal(errors().length, 0);
    while (fleet.service.requestsTo(/telemetry$/).length < 3) await fleet.pass(1 / 30);
    await fleet.pass(10 / 60);
    assert.equal(errors().length, 1);
  });

  for (const refusal of [403, 404])
    it(`reads the others in its first run, though the service refuses the first three sites (${refusal})`, async () => {
      await start();
      const refused = siteIds(3);
      fleet.sites.statusOf = (siteId) => (refused.includes(siteId) ? refusal : 200);
      await fleet.pass(4);
      assert.equal(status(), "5 of 8 fresh, 3 failing");
      assert.equal(errors().length, 3);
    });

  it("reports once that the service refuses every site, after it has requested each", async () => {
    await start();
    fleet.sites.statusOf = () => 403;
    await fleet.pass(4);
    assert.equal(new Set(fleet.sites.requested()).size, SITES);
    assert.equal(errors().length, 1);
    assert.match(errors()[0] ?? "", / All 8 sites failed\.$/);
  });

  it("asks a site that fails alone last in each run, and reports it once until it recovers", async () => {
    fleet.sites.ids = siteIds(5);
    await start();
    fleet.sites.statusOf = (siteId) => (siteId === "site-3" ? 404 : 200);
    await fleet.pass(20);
    assert.equal(errors().length, 1);
    assert.equal(status(), "4 of 5 fresh, 1 failing");
    assert.equal(fleet.sites.requested().at(-1), "site-3");
    assert.ok(requestsOf("site-3") >= 3);
    const report = await reportOf(`nodes/${NODE}`);
    assert.match(
      report,
      /#### Last errors\n\n- .*code ENERGY_HTTP, .*status code 404, address \(site id id-[0-9a-f]{8}\)/,
    );
    assert.match(report, /- status: fleetFailing\n/);
    fleet.sites.statusOf = () => 200;
    await fleet.pass(5);
    assert.equal(status(), "5 of 5 fresh");
    fleet.sites.statusOf = (siteId) => (siteId === "site-3" ? 404 : 200);
    await fleet.pass(5);
    assert.equal(errors().length, 2);
  });

  it("reads the others in each run, though several sites refuse the token by themselves", async () => {
    await start();
    const refusing = ["site-1", "site-3", "site-5"];
    fleet.sites.statusOf = (siteId) => (refusing.includes(siteId) ? 401 : 200);
    await fleet.pass(9);
    const before = requestsOf("site-0");
    await fleet.pass(10);
    assert.equal(requestsOf("site-0"), before + 2);
    assert.equal(status(), "5 of 8 fresh, 3 failing");
    assert.equal(errors().length, refusing.length);
  });

  it("does not report a site again that failed before an outage of the service, and still does after it", async () => {
    fleet.sites.ids = siteIds(5);
    await start();
    const fail = (status: number): void => {
      fleet.sites.statusOf = (siteId) => (siteId === "site-3" ? 404 : status);
    };
    fail(200);
    await fleet.pass(9);
    assert.equal(errors().length, 1);
    fail(503);
    await fleet.pass(10);
    assert.equal(errors().length, 2);
    assert.match(errors()[1] ?? "", / (All|4 of) 5 sites failed\.$/);
    fail(200);
    await fleet.pass(11);
    assert.equal(status(), "4 of 5 fresh, 1 failing");
    assert.equal(errors().length, 2);
  });

  it("loses no record of a site that failed for half an hour", async () => {
    fleet.sites.ids = siteIds(4);
    await start();
    await fleet.pass(6);
    fleet.sites.statusOf = (siteId) => (siteId === "site-3" ? 404 : 200);
    await fleet.pass(30);
    fleet.sites.statusOf = () => 200;
    fleet.sites.records = 12;
    await fleet.pass(15);
    const ends = (siteId: string): number[] =>
      fleet.node
        .sent<{ siteId: string; payload: { endTime: string } }>(1)
        .filter((message) => message.siteId === siteId)
        .map(({ payload }) => Date.parse(payload.endTime) / (5 * MINUTE));
    const received = ends("site-3");
    assert.ok(received.length >= 9, `${received.length} records`);
    for (const [index, end] of received.slice(1).entries()) assert.equal(end - (received[index] ?? 0), 1);
  });

  it("says that the service failed for the rest if it fails in the middle of a run", async () => {
    await start();
    const answered = new Set<string>();
    fleet.sites.statusOf = (siteId) => {
      if (answered.size < SITES / 2) answered.add(siteId);
      return answered.has(siteId) ? 200 : 503;
    };
    await fleet.pass(4, 10_000);
    assert.equal(errors().length, 1);
    assert.match(errors()[0] ?? "", / 4 of 8 sites failed\.$/);
    assert.equal(status(), "4 of 8 fresh, 4 failing");
  });

  it("shows how many are fresh if some records are old", async () => {
    await fleet.start("energy-rgm-read");
    const stale = new Date(Date.now() - 60 * MINUTE).toISOString();
    fleet.service.fault({
      path: /site-3\/rgm-telemetry$/,
      times: Number.POSITIVE_INFINITY,
      body: { data: [{ startTime: new Date(Date.now() - 65 * MINUTE).toISOString(), endTime: stale }] },
    });
    await fleet.pass(9);
    assert.equal(status(), "7 of 8 fresh");
  });

  it("reports a disk that cannot be written once for all sites, and stores everything once it can", async () => {
    await start();
    const folder = join(fleet.node.userDir, "energy-sites");
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "in the way");
    await fleet.pass(12);
    assert.equal(errors().length, 1);
    assert.match(errors()[0] ?? "", /^The state cannot be saved/);
    await rm(folder);
    await fleet.pass(5);
    assert.equal(status(), "8 of 8 fresh");
    assert.equal((await readdir(folder)).filter((name) => name.endsWith(".jsonl")).length > 0, true);
  });
});

describe("a run that was refused without asking", () => {
  it("is repeated when the service may be asked again", () => {
    const down = new ServiceDownError(new NetworkError("noAnswer", { seconds: 30 }), 40);
    assert.equal(retrySeconds(down), 40);
    assert.equal(retrySeconds(new PartialFailure([{ error: down }], 2, 1)), 40);
    assert.equal(retrySeconds(new FleetError(down.failure, 2, 2, true)), 0);
    assert.equal(retrySeconds(down.failure), undefined);
  });
});
