// Tests for * with the service's list of sites: listed twice, empty, failing, and sites that vanish.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { LatestValueMessage } from "../../../../../src/messages/messages";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { type ManySites, serveSites, siteIds } from "../../../../support/many-sites";
import { helper } from "../../../../support/node-red-helper";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";
import { temporaryFolder } from "../../../../support/temporary";

describe("the sites that * stands for", () => {
  // Several runs, each with retries: many real requests.
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let sites: ManySites;
  let node: NodeUnderTest;

  beforeEach(async () => {
    const now = Date.UTC(2026, 5, 10, 10, 7);
    clock = usePassingTime(now, ["setTimeout", "clearTimeout"]);
    service = await startService();
    sites = serveSites(service, siteIds(3));
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const start = async (
    type: string,
    properties: Record<string, unknown> = {},
    userDir?: string,
  ): Promise<void> => {
    // One request after another, so that the order of messages is that of the list.
    const account = { baseUrl: service.baseUrl, concurrency: 1, timeout: 3600 };
    const options = { account, ...(userDir === undefined ? {} : { userDir }) };
    node = await startNode(`energy-${type}`, { siteId: "*", systemId: "*", ...properties }, options);
  };
  /** Advances the clock until a run has started and ended. */
  const runOnSchedule = async (): Promise<void> => {
    const before = node.statuses().length;
    const shown = (): string | undefined => node.statuses().slice(before).at(-1);
    for (let steps = 0; steps < 1000; steps += 1) {
      await service.idle();
      if (shown() === undefined) await clock.tickAsync(5000);
      else if (shown() !== "reading") break;
      // Retries wait for the clock.
      else await clock.tickAsync(1000);
    }
  };
  const run = async (): Promise<void> => {
    node.input({});
    await runOnSchedule();
  };
  const answers = (port: number): LatestValueMessage[] => node.sent<LatestValueMessage>(port);
  const reasons = (): string[] => answers(2).map(({ topic, energy }) => `${topic} ${energy.reason}`);
  const errors = (): string[] => node.caughtSoFar().map(({ energy }) => energy.error.code);

  it("are read once each, even if listed twice", async () => {
    sites.ids = ["site-1", "site-0", "site-1", "site-1"];
    await start("telemetry-poll");
    await run();
    const topics = node.sent().map(({ topic }) => topic);
    assert.deepEqual(topics.toSorted(), ["site-0", "site-1"]);
  });

  it("are read in the order of the list", async () => {
    sites.ids = ["site-1", "site-0", "site-1", "site-2"];
    await start("latest-value");
    await run();
    assert.deepEqual(sites.requested(), ["site-1", "site-0", "site-2"]);
  });

  it("are none without an error if the list is empty", async () => {
    sites.ids = [];
    await start("latest-value");
    await run();
    assert.equal(node.statuses().at(-1), "no sites visible to the credentials");
    assert.match(node.logged(), /No PC2 site is visible\. Set Systems in the account/);
    assert.deepEqual([errors(), answers(1), answers(2)], [[], [], []]);
  });

  it("are none for a meter whatever the account opts in to, since its list shows PC1 as well", async () => {
    sites.ids = [];
    await start("rgm-read", { mode: "latest" });
    await run();
    assert.match(node.logged(), /No site is visible to these credentials/);
  });

  it("are unknown if the first list fails", async () => {
    sites.listStatus = 404;
    await start("latest-value");
    await run();
    assert.deepEqual(errors(), ["ENERGY_HTTP"]);
    assert.deepEqual(reasons(), ["undefined failed"]);
  });

  it("are those of the last list while it fails, with an error for each message", async () => {
    await start("latest-value");
    await run();
    sites.listStatus = 404;
    await run();
    await run();
    assert.equal(answers(1).length, 9);
    assert.deepEqual([errors(), reasons()], [["ENERGY_HTTP", "ENERGY_HTTP"], []]);
    assert.equal(node.statuses().at(-1), "last known sites");
    sites.listStatus = 200;
    await run();
    assert.equal(node.statuses().at(-1)?.slice(5), " · 3 values");
  });

  it("are those of the last list before a restart while it fails", async () => {
    const userDir = temporaryFolder();
    await start("latest-value", {}, userDir);
    await run();
    await node.stop();
    sites.listStatus = 404;
    await start("latest-value", {}, userDir);
    await run();
    assert.deepEqual([answers(1).length, reasons(), errors()], [3, [], ["ENERGY_HTTP"]]);
    await node.stop();
    sites.statusOf = () => 500;
    await start("latest-value", {}, userDir);
    await run();
    assert.deepEqual(reasons().toSorted(), ["site-0 failed", "site-1 failed", "site-2 failed"]);
  });

  it("are those of the last list on a schedule, with one error until it recovers", async () => {
    await start("latest-value", { repeat: 5 });
    await runOnSchedule();
    sites.listStatus = 404;
    await runOnSchedule();
    await runOnSchedule();
    assert.equal(node.statuses().at(-1), "last known sites");
    assert.deepEqual(errors(), ["ENERGY_HTTP"]);
    sites.listStatus = 200;
    await runOnSchedule();
    sites.listStatus = 403;
    await runOnSchedule();
    assert.deepEqual(errors(), ["ENERGY_HTTP", "ENERGY_HTTP"]);
    assert.equal(answers(1).length, 15);
  });

  it("report a failing list after an outage of the whole service, too", async () => {
    await start("latest-value", { repeat: 5 });
    await runOnSchedule();
    sites.listStatus = 404;
    sites.statusOf = () => 500;
    await runOnSchedule();
    assert.deepEqual(
      node.caughtSoFar().map(({ energy }) => energy.error.statusCode),
      [500],
    );
    sites.statusOf = () => 200;
    await runOnSchedule();
    await runOnSchedule();
    assert.deepEqual(
      node.caughtSoFar().map(({ energy }) => energy.error.statusCode),
      [500, 404],
    );
  });

  it("have no record once they are no longer listed: reported to each message", async () => {
    await start("latest-value");
    await run();
    sites.ids = ["site-1"];
    await run();
    await run();
    assert.deepEqual(reasons(), [
      "site-0 no-record",
      "site-2 no-record",
      "site-0 no-record",
      "site-2 no-record",
    ]);
    assert.equal(answers(2)[0]?.payload, null);
    assert.deepEqual(errors(), []);
    sites.ids = siteIds(3);
    await run();
    assert.equal(answers(2).length, 4);
  });

  it("have no record once they are no longer listed after a restart, whichever node reads the list first", async () => {
    const userDir = temporaryFolder();
    const all = { siteId: "*", systemId: "*" };
    await start("latest-value", {}, userDir);
    await run();
    await node.stop();
    sites.ids = ["site-1"];
    const account = { baseUrl: service.baseUrl };
    const other = { id: "other", z: "tab", type: "energy-telemetry-poll", account: "the-account", ...all };
    node = await startNode("energy-latest-value", all, { account, userDir, others: [other] });
    helper.getNode("other").receive({});
    await service.idle();
    assert.equal(sites.requested().at(-1), "site-1");
    await run();
    assert.deepEqual(reasons(), ["site-0 no-record", "site-2 no-record"]);
  });

  it("have no record of a system once it is no longer listed, and lose none once their systems have ids", async () => {
    sites.ids = ["site-0"];
    await start("latest-value");
    for (const names of [[], ["a", "b"], ["b"]]) {
      if (names.length > 0) sites.systems = names.map((systemId) => ({ systemId }));
      await run();
    }
    assert.deepEqual(reasons(), ["site-0/a no-record"]);
  });

  it("have no record once they are no longer listed: reported in every scheduled run", async () => {
    await start("latest-value", { repeat: 5 });
    await runOnSchedule();
    sites.ids = ["site-1"];
    await runOnSchedule();
    await runOnSchedule();
    assert.deepEqual(reasons(), [
      "site-0 no-record",
      "site-2 no-record",
      "site-0 no-record",
      "site-2 no-record",
    ]);
    assert.equal(answers(1).length, 5);
  });

  it("are remembered up to a limit once they are no longer listed: those that vanished last", async () => {
    sites.ids = siteIds(1005);
    // Nothing needs to be read: the first run ends early.
    sites.statusOf = () => 401;
    await start("latest-value");
    await run();
    assert.equal(answers(2).length, 1005);
    sites.ids = ["site-0"];
    sites.statusOf = () => 200;
    await run();
    const vanished = reasons().slice(1005);
    assert.deepEqual([vanished.length, vanished[0]], [1000, "site-5 no-record"]);
    assert.equal(answers(1).length, 1);
  });

  it("have failed in every outage of the list, not only in the first", async () => {
    await start("latest-value", { repeat: 5 });
    await runOnSchedule();
    const failed = ["site-0 failed", "site-1 failed", "site-2 failed"];
    for (const outage of [1, 2]) {
      sites.listStatus = 500;
      sites.statusOf = () => 500;
      const before = answers(2).length;
      await runOnSchedule();
      await runOnSchedule();
      assert.deepEqual(reasons().slice(before).toSorted(), [...failed, ...failed].toSorted());
      sites.listStatus = 200;
      sites.statusOf = () => 200;
      await runOnSchedule();
      assert.equal(answers(1).length, 3 + 3 * outage);
    }
  });

  it("are unknown in every outage of the list until it was read once", async () => {
    sites.listStatus = 404;
    await start("latest-value", { repeat: 5 });
    await runOnSchedule();
    await runOnSchedule();
    assert.deepEqual(reasons(), ["undefined failed", "undefined failed"]);
    assert.deepEqual(errors(), ["ENERGY_HTTP"]);
    sites.listStatus = 200;
    await runOnSchedule();
    sites.ids = ["site-1"];
    sites.listStatus = 404;
    await runOnSchedule();
    assert.deepEqual([reasons().length, answers(1).length], [2, 6]);
  });

  it("have all failed if a message cannot be served", async () => {
    await start("latest-value");
    await run();
    sites.ids = ["site-1", "site-2"];
    await run();
    node.input({ startTime: "2026-06-10T09:00:00Z" });
    await runOnSchedule();
    assert.deepEqual(reasons().slice(1), ["site-1 failed", "site-2 failed", "site-0 no-record"]);
    assert.deepEqual(errors(), ["ENERGY_INPUT"]);
  });

  it("are counted in the status, and those with a value", async () => {
    await start("latest-value");
    await run();
    assert.match(node.statuses().at(-1) ?? "", /^\d\d:\d\d · 3 values$/);
    service.fault({ path: /site-1\/telemetry$/, body: { data: [] }, times: Number.POSITIVE_INFINITY });
    await run();
    assert.match(node.statuses().at(-1) ?? "", /^\d\d:\d\d · 2 of 3 values$/);
  });

  it("all have failed on output 2 if the run cannot start", async () => {
    await start("latest-value");
    await run();
    sites.listStatus = 401;
    sites.statusOf = () => 401;
    service.fault({ path: /auth/, method: "POST", status: 401, times: 9 });
    await run();
    assert.deepEqual(errors(), ["ENERGY_AUTH"]);
    assert.deepEqual(reasons().toSorted(), ["site-0 failed", "site-1 failed", "site-2 failed"]);
    assert.equal(node.statuses().at(-1), "credentials rejected");
  });

  it("are reported with one error if the whole service is down", async () => {
    await start("latest-value");
    await run();
    sites.listStatus = 500;
    sites.statusOf = () => 500;
    await run();
    assert.deepEqual(errors(), ["ENERGY_HTTP"]);
    assert.deepEqual(reasons().toSorted(), ["site-0 failed", "site-1 failed", "site-2 failed"]);
    assert.equal(node.statuses().at(-1), "service down (500)");
  });
});
