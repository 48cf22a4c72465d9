// Tests for the lifecycle of every node: how failures are reported, and that a closed node leaves nothing behind.
import assert from "node:assert/strict";
import { MINUTE } from "../../../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";

describe("node runs", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (
    properties: Record<string, unknown> = {},
    account: Record<string, unknown> = {},
  ): Promise<void> => {
    const settings = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview", ...account };
    node = await startNode(
      "energy-site-info",
      { siteId: "demo-house", ...properties },
      { account: settings },
    );
  };
  const codes = (): unknown[] => node.caughtSoFar().map(({ energy }) => energy.error.code);
  /** A repeat of 30 ms, so that a test sees several scheduled runs. */
  const FREQUENT = { repeat: 0.0005 };
  /** Makes retries follow at once. */
  const AT_ONCE = { "retry-after": "0" };

  it("report a scheduled failure once, show it each time, and report it again after a recovery", async () => {
    service.fault({ path: /sites/, status: 501, times: 3 });
    await start(FREQUENT);
    await node.output();
    assert.deepEqual(codes(), ["ENERGY_HTTP"]);
    const failed = node.statuses().filter((text) => text.startsWith("service down"));
    assert.deepEqual(failed, ["service down (501)", "service down (501)", "service down (501)"]);
    const before = service.requestsTo(/sites/).length;
    service.fault({ path: /sites/, status: 404 });
    await service.received.reach(/sites/, before + 2);
    await node.caught();
    await node.caught();
    assert.equal(codes().length, 2);
  });

  it("report a scheduled failure again when it changes, but not when it changes back", async () => {
    for (const fault of [{ body: "<html>" }, { status: 501 }, { body: "<html>" }, { status: 501 }])
      service.fault({ path: /sites/, ...fault });
    await start(FREQUENT);
    await node.output();
    assert.deepEqual(codes(), ["ENERGY_HTTP", "ENERGY_RESPONSE"]);
  });

  it("treat all outages of the service as one failure, but not a rejected request", async () => {
    for (const status of [404, 502, 501])
      service.fault({ path: /sites/, status, ...(status === 502 && { times: 4, headers: AT_ONCE }) });
    await start(FREQUENT);
    await node.output();
    const statusCodes = node.caughtSoFar().map(({ energy }) => energy.error.statusCode);
    assert.deepEqual(statusCodes, [501, 404]);
  });

  it("report every failure of a message, with that message", async () => {
    service.fault({ path: /sites/, status: 501, times: 2 });
    await start();
    for (const payload of ["first", "second"]) {
      node.input({ payload, other: { deep: true } });
      const caught = await node.caught<{ payload: string; other: object }>();
      assert.equal(caught.payload, payload);
      assert.deepEqual(caught.other, { deep: true });
      assert.equal(caught.energy.kind, "site-info");
      assert.deepEqual(Object.keys(caught.energy.error), ["code", "statusCode", "serviceText"]);
    }
  });

  it("end immediately when the node is closed during a request, and report nothing", async () => {
    const hold = service.hold(/sites/);
    await start();
    node.input({});
    await hold.arrived(1);
    await node.redeploy();
    await service.abandoned.reach(/sites/, 1);
    hold.release();
    node.input({});
    await node.output();
    assert.deepEqual(codes(), []);
    assert.equal(node.sent().length, 1);
  });

  it("do not pile up: the schedule waits for a run that takes longer than its interval", async () => {
    const clock = usePassingTime(Date.now(), ["setTimeout", "clearTimeout"]);
    try {
      const hold = service.hold(/sites/);
      await start({ repeat: 5 }, { timeout: 3600 });
      await clock.tickAsync(5 * MINUTE);
      await hold.arrived(1);
      await clock.tickAsync(30 * MINUTE);
      hold.release();
      node.input({});
      await node.completed();
      // One scheduled run and one for the message, which did not wait for any others.
      assert.equal(service.requestsTo(/sites/).length, 2);
    } finally {
      clock.restore();
    }
  });

  it("report a repeat that is not a number, and still process messages", async () => {
    await start({ repeat: "often" });
    assert.equal((await node.caught()).energy.error.code, "ENERGY_CONFIG");
    node.input({});
    await node.output();
  });

  it("process messages in order of arrival", async () => {
    await start({ siteId: "" });
    const sites = ["demo-house", "demo-farm", "demo-empty", "demo-house"];
    for (const siteId of sites) node.input({ siteId });
    for (const siteId of sites) assert.equal((await node.output()).siteId, siteId);
  });

  it("show the error in a few words", async () => {
    await start({ siteId: "" });
    node.input({});
    await node.caught();
    assert.equal(node.statuses().at(-1), "bad input");
  });

  it("end a message whose account alone is closed, and say so", async () => {
    await start();
    const hold = service.hold(/sites/);
    node.input({});
    await hold.arrived();
    await node.closeAccount();
    const { error, energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_NETWORK");
    assert.match(error.message, /account was closed/);
    hold.release();
  });

  it("end a message that cannot be changed", async () => {
    await start({ siteId: "" });
    node.input(Object.freeze({ _msgid: "frozen" }));
    assert.match((await node.caught()).error.message, /No site/);
  });
});
