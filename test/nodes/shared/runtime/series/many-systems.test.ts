// Tests for runs over many systems: their order, their pace, and what a failing service does to them.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import type sinon from "sinon";
import { MINUTE } from "../../../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { type ManySites, serveSites, siteIds } from "../../../../support/many-sites";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";

const SECOND = 1000;

describe("a run over many systems", () => {
  // Tens of requests a run, and a simulated hour in quarters of a second.
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let sites: ManySites;
  let node: NodeUnderTest;

  beforeEach(async () => {
    const now = Date.UTC(2026, 5, 10, 10, 7);
    clock = usePassingTime(now, ["setTimeout", "clearTimeout"]);
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const start = async (
    count: number,
    properties: Record<string, unknown> = {},
    account: Record<string, unknown> = {},
  ): Promise<void> => {
    sites = serveSites(service, siteIds(count));
    node = await startNode(
      "energy-latest-value",
      { siteId: "*", systemId: "*", ...properties },
      { account: { baseUrl: service.baseUrl, timeout: 3600, ...account } },
    );
  };
  /** Advances the clock until a run has started and ended. */
  const runEnds = async (step = 250): Promise<void> => {
    const before = node.statuses().length;
    for (let steps = 0; steps < 4000; steps += 1) {
      await service.idle();
      const statuses = node.statuses().slice(before);
      if (statuses.length > 0 && statuses.at(-1) !== "reading") break;
      await clock.tickAsync(step);
    }
  };
  const run = async (message: NodeMessage = {}): Promise<void> => {
    // A service that has just failed for all is not asked again in the next seconds.
    await clock.tickAsync(3 * SECOND);
    node.input(message);
    await runEnds();
  };
  /** The sites that are answered in runs of which each reaches only four. */
  const reachedIn = async (runs: number): Promise<ReadonlySet<string>> => {
    const reached = new Set<string>();
    for (let index = 0; index < runs; index += 1) {
      let left = 4;
      sites.statusOf = (siteId) => {
        left -= 1;
        if (left >= 0) reached.add(siteId);
        return left >= 0 ? 200 : 500;
      };
      await run();
    }
    return reached;
  };
  const errors = (): unknown[] => node.caughtSoFar().map(({ energy }) => energy.error.statusCode);
  /** When records were requested, in milliseconds after the first request. */
  const times = (): number[] => {
    const requests = service.requestsTo(/telemetry$/);
    return requests.map(({ at }) => at - (requests[0]?.at ?? 0));
  };

  it("starts with the systems that the last one did not reach", async () => {
    await start(10, {}, { concurrency: 1 });
    const answered: string[] = [];
    sites.statusOf = (siteId) => (answered.length < 4 && answered.push(siteId) > 0 ? 200 : 500);
    await run();
    assert.deepEqual(answered, siteIds(4));
    const before = sites.requested().length;
    sites.statusOf = () => 200;
    await run();
    const order = sites.requested().slice(before);
    assert.deepEqual(order, [...siteIds(10).slice(4), ...siteIds(4)]);
  });

  it("starts with them also after a message about others", async () => {
    await start(6, { siteId: '$exists(site) ? site : "*"', siteIdType: "jsonata" }, { concurrency: 1 });
    sites.systems = [{ systemId: "a" }, { systemId: "b" }];
    let left = 4;
    sites.statusOf = () => ((left -= 1) >= 0 ? 200 : 500);
    await run();
    sites.statusOf = () => 200;
    await run({ site: "site-5" });
    const before = sites.requested().length;
    await run();
    const order = [...new Set(sites.requested().slice(before))];
    assert.deepEqual(order, ["site-2", "site-3", "site-4", "site-0", "site-1", "site-5"]);
  });

  it("reaches every system within a few runs if each run reaches only some", async () => {
    await start(12, {}, { concurrency: 1 });
    assert.equal((await reachedIn(3)).size, 12);
  });

  it("reaches a system that failed by itself, too, if each run reaches only some of those that follow", async () => {
    await start(12, {}, { concurrency: 1 });
    sites.statusOf = (siteId) => (siteId === "site-0" ? 404 : 200);
    await run();
    assert.equal((await reachedIn(4)).has("site-0"), true);
  });

  it("reads at most 16 at the same time", async () => {
    await start(20, {}, { concurrency: 64 });
    const hold = service.hold(/telemetry$/);
    node.input({});
    await hold.arrived(16);
    await service.idle();
    assert.equal(sites.requested().length, 16);
    hold.release();
    await node.completed();
    assert.equal(sites.requested().length, 20);
  });

  it("is not spread if a message triggered it", async () => {
    await start(12);
    node.input({});
    await node.completed();
    assert.equal(times().at(-1), 0);
  });

  it("is spread over the interval on a schedule, ends before the next is due, and has the same order each time", async () => {
    await start(12, { repeat: 1 });
    await runEnds(0.9 * SECOND);
    const starts = times();
    assert.equal(starts.length, 12);
    for (const [index, time] of starts.entries()) {
      const due = Math.max(index - 3, 0) * 4.5 * SECOND;
      assert.ok(Math.abs(time - due) <= SECOND, `request ${index} after ${time} ms`);
    }
    await runEnds(0.9 * SECOND);
    const requested = sites.requested();
    assert.deepEqual(requested.slice(12), requested.slice(0, 12));
  });

  it("is spread over 5 seconds per system at most", async () => {
    await start(7, { repeat: 5 });
    await runEnds();
    assert.deepEqual(
      times().map((time) => Math.round(time / SECOND)),
      [0, 0, 0, 0, 5, 10, 15],
    );
  });

  it("is over soon after a deploy", async () => {
    await start(24, { repeat: 60, onDeploy: true });
    await runEnds();
    const last = times().at(-1) ?? 0;
    assert.ok(last >= 3.5 * SECOND && last <= 4.5 * SECOND, `the last request after ${last} ms`);
  });

  it("continues without pauses when a message waits", async () => {
    await start(12, { repeat: 5 });
    while (sites.requested().length < 6) {
      await clock.tickAsync(SECOND);
      await service.idle();
    }
    const before = Date.now();
    node.input({});
    await node.completed();
    assert.equal(Date.now(), before);
    assert.equal(sites.requested().length, 24);
  });

  it("leaves nothing behind when the node is closed between two systems", async () => {
    await start(30, { repeat: 5 });
    while (sites.requested().length < 6) {
      await clock.tickAsync(SECOND);
      await service.idle();
    }
    await node.redeploy({ repeat: 0 });
    await clock.tickAsync(5 * MINUTE);
    await service.idle();
    assert.ok(sites.requested().length <= 8);
    assert.deepEqual(errors(), []);
  });

  it("ends early with one error when the service fails for every system", async () => {
    await start(60, {}, { concurrency: 1 });
    sites.statusOf = () => 500;
    await run();
    assert.deepEqual(errors(), [500]);
    assert.equal(node.statuses().at(-1), "service down (500)");
    assert.ok(new Set(sites.requested()).size <= 16 + 6);
    assert.equal(node.sent(2).length, 60);
  });

  it("ends at once with one error when a setting is wrong", async () => {
    await start(60, { path: "grid[" }, { concurrency: 1 });
    await run();
    assert.deepEqual(
      node.caughtSoFar().map(({ energy }) => energy.error.code),
      ["ENERGY_CONFIG"],
    );
    assert.ok(sites.requested().length <= 16);
    assert.equal(node.sent(2).length, 60);
  });

  it("ends at once with one error when the account is closed", async () => {
    await start(60);
    const hold = service.hold(/telemetry$/);
    node.input({});
    await hold.arrived(4);
    await node.closeAccount();
    assert.match((await node.caught()).error.message, /account was closed/);
    hold.release();
    assert.equal(node.caughtSoFar().length, 1);
    assert.ok(sites.requested().length <= 16);
  });

  it("ends early with one error, and what was read before, when the service starts to fail", async () => {
    await start(60, {}, { concurrency: 1 });
    const answered: string[] = [];
    sites.statusOf = (siteId) => (answered.length < 22 && answered.push(siteId) > 0 ? 200 : 503);
    await run();
    assert.deepEqual(errors(), [503]);
    assert.equal("siteId" in (node.caughtSoFar()[0] ?? {}), false);
    assert.deepEqual([node.sent(1).length, node.sent(2).length], [22, 38]);
    assert.match(node.statuses().at(-1) ?? "", /^22 of 60 fresh, 38 failing$/);
    assert.ok(new Set(sites.requested()).size < 60);
  });

  it("serves the others in each run when the first systems fail for ever", async () => {
    await start(18, {}, { concurrency: 1 });
    sites.statusOf = (siteId) => (Number(siteId.split("-")[1]) < 6 ? 500 : 200);
    for (let runs = 0; runs < 4; runs += 1) await run();
    // The first run may take them for an outage of the whole service.
    assert.ok(node.sent(1).length >= 3 * 12);
    assert.equal(errors().filter((status) => status === 500).length >= 3 * 6, true);
  });

  it("ends early with one error when the service refuses every request", async () => {
    await start(30, {}, { concurrency: 1 });
    sites.statusOf = () => 400;
    await run();
    assert.deepEqual(errors(), [400]);
    assert.ok(new Set(sites.requested()).size < 30);
  });

  it("ends with one error when the service shows none of the systems, which it knows once all were requested", async () => {
    for (const status of [404, 403]) {
      await start(30, {}, { concurrency: 1 });
      sites.statusOf = () => status;
      await run();
      assert.deepEqual(errors(), [status]);
      assert.equal(new Set(sites.requested()).size, 30);
      await node.stop();
    }
    await start(1);
  });

  it("goes on when single systems fail, each with an error of its own", async () => {
    await start(30, {}, { concurrency: 1 });
    // Never three outages in a row, and many sites that are not found.
    sites.statusOf = (siteId) => {
      const index = Number(siteId.split("-")[1]);
      if (index >= 10 && index < 20) return 404;
      return index % 3 === 0 ? 200 : 501;
    };
    await run();
    assert.equal(errors().filter((status) => status === 404).length, 10);
    assert.equal(errors().filter((status) => status === 501).length, 13);
    assert.equal(node.sent(1).length, 7);
    assert.match(node.statuses().at(-1) ?? "", /^7 of 30 fresh, 23 failing$/);
  });
});
