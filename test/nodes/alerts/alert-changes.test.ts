// Tests for alerts in changes mode: each change once, across restarts and failed runs, with what the next node needs.
import assert from "node:assert/strict";
import type { AlertChangeMessage } from "../../../src/messages/messages";
import type { Alert } from "../../../src/models/alert";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

const LOW = { id: "1", severity: "LOW", siteId: "demo-house", systemId: "demo-house-1", title: "warm" };
const HIGH = { id: "2", severity: "HIGH", siteId: "demo-farm" };
const CRITICAL = { id: "3", severity: "CRITICAL" };

describe("alerts as changes", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startNode(
      "energy-alerts",
      { scope: "account", output: "changes", firstRun: "all", ...properties },
      { account: { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" } },
    );
  };
  /** Runs the node with these alerts, and returns the messages that it sends. */
  const find = async (
    alerts: Alert[],
    message: Record<string, unknown> = {},
  ): Promise<AlertChangeMessage[]> => {
    const before = node.sent().length;
    service.fault({ path: /alerts/, body: { data: alerts } });
    node.input(message);
    await node.completed();
    return node.sent<AlertChangeMessage>().slice(before);
  };
  const describeChanges = (messages: AlertChangeMessage[]): string[] =>
    messages.map(({ energy }) => `${energy.change} ${energy.alertKey} ${energy.severity}`);

  it("names no site or system whose id is not valid", async () => {
    await start();
    const [message] = await find([{ ...LOW, siteId: "x".repeat(256), systemId: "a\nb" }]);
    assert.deepEqual([message?.siteId, message?.systemId], [undefined, undefined]);
    const [other] = await find([{ ...HIGH, systemId: "a\nb" }]);
    assert.deepEqual([other?.siteId, other?.systemId], ["demo-farm", undefined]);
  });

  it("sends each alert that is raised, changed or cleared, and nothing in between", async () => {
    await start();
    assert.deepEqual(describeChanges(await find([LOW])), ["raised 1 LOW"]);
    assert.deepEqual(describeChanges(await find([LOW])), []);
    assert.deepEqual(describeChanges(await find([{ ...LOW, title: "hot" }, CRITICAL])), [
      "changed 1 LOW",
      "raised 3 OTHER",
    ]);
    // A list may be too short.
    assert.deepEqual(describeChanges(await find([CRITICAL])), []);
    const cleared = await find([CRITICAL]);
    assert.deepEqual(describeChanges(cleared), ["cleared 1 LOW"]);
    assert.equal(cleared[0]?.energy.isOpen, false);
    assert.deepEqual(cleared[0]?.payload, { ...LOW, title: "hot" });
  });

  it("names the site and the system of each alert, and keeps the rest of the message", async () => {
    await start();
    const messages = await find([LOW, HIGH, CRITICAL], {
      topic: "asked",
      other: 1,
      siteId: "w",
      systemId: "x",
    });
    const where = messages.map(({ topic, siteId, systemId }) => [topic, siteId, systemId]);
    assert.deepEqual(where, [
      ["demo-house/demo-house-1", "demo-house", "demo-house-1"],
      ["demo-farm", "demo-farm", undefined],
      ["asked", undefined, undefined],
    ]);
    assert.deepEqual(messages[0]?.payload, LOW);
    assert.deepEqual(messages[0]?.energy, {
      kind: "alerts",
      severity: "LOW",
      alertKey: "1",
      isOpen: true,
      change: "raised",
    });
    assert.equal((messages[2] as unknown as { other: number }).other, 1);
  });

  it("sends alerts that are open in the first run as raised, or only stores them", async () => {
    await start({ firstRun: "silent" });
    assert.deepEqual(describeChanges(await find([LOW, HIGH])), []);
    assert.equal(node.statuses().at(-1), "2 alerts");
    assert.deepEqual(describeChanges(await find([HIGH, CRITICAL])), ["raised 3 OTHER"]);
    assert.deepEqual(describeChanges(await find([HIGH, CRITICAL])), ["cleared 1 LOW"]);
  });

  it("stays silent only in the first run, even if that found nothing", async () => {
    await start({ firstRun: "silent" });
    await find([]);
    assert.deepEqual(describeChanges(await find([LOW])), ["raised 1 LOW"]);
  });

  it("remembers open alerts across a restart", async () => {
    await start();
    await find([LOW, HIGH]);
    await node.redeploy();
    assert.deepEqual(describeChanges(await find([HIGH, CRITICAL])), ["raised 3 OTHER"]);
    assert.deepEqual(describeChanges(await find([HIGH, CRITICAL])), ["cleared 1 LOW"]);
  });

  it("keeps a list for each credentials of the account: those that others see are not cleared", async () => {
    await start();
    const first = service;
    await find([LOW, HIGH]);
    service = await startService({ credentials: first });
    try {
      await node.redeploy({}, { baseUrl: service.baseUrl });
      assert.deepEqual(describeChanges(await find([CRITICAL])), ["raised 3 OTHER"]);
      assert.deepEqual(describeChanges(await find([CRITICAL])), []);
    } finally {
      await service.close();
      service = first;
    }
    await node.redeploy({}, { baseUrl: first.baseUrl });
    assert.deepEqual(describeChanges(await find([LOW, HIGH])), []);
  });

  it("keeps the list of an account whose base URL gets a slash at its end", async () => {
    const token = { access_token: "token", token_type: "Bearer", expires_in: 3600 };
    service.fault({ path: /auth$/, body: token, times: Number.POSITIVE_INFINITY });
    await start();
    for (const [path, changes] of [
      ["/api", ["raised 1 LOW"]],
      ["/api/", []],
    ] as const) {
      await node.redeploy({}, { baseUrl: `${service.baseUrl}${path}` });
      assert.deepEqual(describeChanges(await find([LOW])), changes);
    }
  });

  it("says nothing of a field that changes each time", async () => {
    await start();
    for (let run = 0; run < 3; run += 1)
      await find([{ ...LOW, signal: -70 - run, lastSeenAt: `2026-06-10T10:0${run}:00Z`, count: run }]);
    assert.equal(node.sent().length, 1);
  });

  it("sends an alert again if it was closed while sending it", async () => {
    await start();
    service.fault({ path: /alerts/, body: { data: [LOW] } });
    node.input({});
    await node.output();
    await node.redeploy();
    assert.deepEqual(describeChanges(await find([LOW])), ["raised 1 LOW"]);
  });

  it("changes no state when a run fails", async () => {
    await start();
    await find([LOW]);
    service.fault({ path: /alerts/, status: 501 });
    node.input({});
    await node.caught();
    service.fault({ path: /alerts/, body: "<html>" });
    node.input({});
    await node.caught();
    assert.equal(node.sent().length, 1);
    assert.deepEqual(describeChanges(await find([LOW])), []);
  });

  it("leaves out an alert that cannot be read, tells of it once, and clears nothing by that list", async () => {
    await start();
    await find([LOW, HIGH]);
    for (let run = 0; run < 3; run += 1)
      assert.deepEqual(describeChanges(await find([HIGH, 7 as unknown as Alert])), []);
    await find([CRITICAL, HIGH, 7 as unknown as Alert]);
    assert.deepEqual(
      node.caughtSoFar().map(({ error, energy }) => [energy.error.code, error.message]),
      [
        [
          "ENERGY_RESPONSE",
          "data[1] is not an object (it is a number). Tell your provider. (Alert response)",
        ],
      ],
    );
    assert.deepEqual(describeChanges(await find([HIGH])), []);
    assert.deepEqual(describeChanges(await find([HIGH])), ["cleared 3 OTHER", "cleared 1 LOW"]);
  });

  it("keeps separate lists for the account and for each site", async () => {
    await start({ scope: "site" });
    assert.deepEqual(describeChanges(await find([LOW], { siteId: "demo-house" })), ["raised 1 LOW"]);
    assert.deepEqual(describeChanges(await find([HIGH], { siteId: "demo-farm" })), ["raised 2 HIGH"]);
    assert.deepEqual(describeChanges(await find([LOW], { siteId: "demo-house" })), []);
    const [message] = await find([CRITICAL], { siteId: "demo-farm", systemId: "old" });
    assert.deepEqual(
      [message?.siteId, message?.systemId, message?.topic],
      ["demo-farm", undefined, "demo-farm"],
    );
    await node.redeploy({ scope: "account" });
    assert.deepEqual(describeChanges(await find([LOW])), ["raised 1 LOW"]);
  });

  it("filters by the current severity, and sends every later change of an alert it has sent", async () => {
    await start({ severities: ["HIGH"], otherSeverities: false });
    assert.deepEqual(describeChanges(await find([LOW, HIGH, CRITICAL])), ["raised 2 HIGH"]);
    assert.deepEqual(describeChanges(await find([{ ...LOW, severity: "HIGH" }, HIGH, CRITICAL])), [
      "changed 1 HIGH",
    ]);
    assert.deepEqual(describeChanges(await find([LOW, HIGH])), ["changed 1 LOW"]);
    assert.deepEqual(describeChanges(await find([])), []);
    assert.deepEqual(describeChanges(await find([])), ["cleared 1 LOW", "cleared 2 HIGH"]);
  });

  it("clears an alert once when it is listed as over, and counts it no longer", async () => {
    await start();
    await find([LOW, HIGH]);
    const closed = { ...LOW, closedAt: "2026-01-01T00:00:00Z" };
    const messages = await find([closed, HIGH]);
    assert.deepEqual(describeChanges(messages), ["cleared 1 LOW"]);
    assert.deepEqual(messages[0]?.payload, closed);
    assert.equal(node.statuses().at(-1), "1 alert");
    await node.redeploy();
    assert.deepEqual(describeChanges(await find([closed, HIGH])), []);
    assert.deepEqual(describeChanges(await find([LOW, HIGH])), ["raised 1 LOW"]);
  });

  it("raises no alert that is over in the first run", async () => {
    await start();
    assert.deepEqual(describeChanges(await find([{ ...LOW, status: "CLOSED" }, HIGH])), ["raised 2 HIGH"]);
  });

  it("is not affected by a flow that modifies the message", async () => {
    await start();
    const [message] = await find([LOW]);
    Object.assign(message?.payload ?? {}, { title: "read" });
    assert.deepEqual(describeChanges(await find([LOW])), []);
  });
});
