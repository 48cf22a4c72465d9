// Tests for alerts: those of the account or of a site, filtered by severity.
import assert from "node:assert/strict";
import type { AlertsMessage } from "../../../src/messages/messages";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

const ALERTS = [
  { id: "1", severity: "LOW" },
  { id: "2", severity: "MEDIUM", siteId: "demo-house" },
  { id: "3", severity: "HIGH", novelty: [1] },
  { id: "4", severity: "CRITICAL" },
  { id: "5" },
  { id: "6", severity: null },
];

describe("alerts", () => {
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
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode("energy-alerts", { scope: "account", output: "list", ...properties }, { account });
  };
  const ask = async (message: Record<string, unknown> = {}): Promise<AlertsMessage> => {
    node.input(message);
    return await node.output<AlertsMessage>();
  };
  const idsOf = ({ payload }: AlertsMessage): string[] => payload.map(({ id }) => String(id));

  it("sends the alerts of the account as the service returned them, with severity and key of each", async () => {
    service.fault({ path: /alerts/, body: { data: ALERTS } });
    await start();
    const message = await ask({ topic: "kept" });
    assert.deepEqual(message.payload, ALERTS);
    assert.equal(message.energy.count, 6);
    assert.deepEqual(
      message.energy.alerts.map(({ severity }) => severity),
      ["LOW", "MEDIUM", "HIGH", "OTHER", "OTHER", "OTHER"],
    );
    assert.equal(new Set(message.energy.alerts.map(({ alertKey }) => alertKey)).size, 6);
    assert.equal(message.topic, "kept");
    assert.equal(service.requestsTo(/alerts/)[0]?.path, "/v1/alerts");
  });

  it("reads the alerts of one site", async () => {
    await start({ scope: "site", siteId: "demo-farm" });
    const { topic, siteId } = await ask();
    assert.deepEqual([topic, siteId], ["demo-farm", "demo-farm"]);
    assert.equal(service.requestsTo(/alerts/)[0]?.path, "/v1/sites/demo-farm/alerts");
  });

  for (const [severities, otherSeverities, ids] of [
    [[], true, ["1", "2", "3", "4", "5", "6"]],
    [[], false, ["1", "2", "3"]],
    [["HIGH"], false, ["3"]],
    [["HIGH"], true, ["3", "4", "5", "6"]],
    [["LOW", "MEDIUM"], false, ["1", "2"]],
    [["CRITICAL"], false, ["4"]],
  ] as const) {
    it(`passes ${severities.join(", ") || "every known severity"} ${otherSeverities ? "and others" : "only"}`, async () => {
      service.fault({ path: /alerts/, body: ALERTS });
      await start({ severities, otherSeverities });
      assert.deepEqual(idsOf(await ask()), ids);
    });
  }

  it("sends alerts that are over, too, and says which are open: the status counts those", async () => {
    const [open, ...others] = ALERTS;
    const closed = others.map((alert) => ({ ...alert, status: "CLOSED" }));
    service.fault({ path: /alerts/, body: { data: [open, ...closed] } });
    await start();
    const { payload, energy } = await ask();
    assert.deepEqual(payload, [open, ...closed]);
    assert.deepEqual(
      energy.alerts.map(({ isOpen }) => isOpen),
      [true, ...closed.map(() => false)],
    );
    await node.completed();
    assert.equal(node.statuses().at(-1), "1 alert");
  });

  it("sends the alerts that can be read, and nothing if none can", async () => {
    service.fault({ path: /alerts/, body: { data: [null, { id: "1" }] } });
    await start();
    assert.deepEqual(idsOf(await ask()), ["1"]);
    assert.equal((await node.caught()).energy.error.code, "ENERGY_RESPONSE");
    service.fault({ path: /alerts/, body: { data: [null] } });
    node.input({});
    await node.caught();
    assert.equal(node.sent().length, 1);
  });

  it("sends an empty list if there are no alerts", async () => {
    service.fault({ path: /alerts/, body: { alerts: [] } });
    await start();
    const message = await ask();
    assert.deepEqual([message.payload, message.energy.count], [[], 0]);
  });

  it("requires a site if the scope is one site", async () => {
    await start({ scope: "site" });
    node.input({});
    const { energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_INPUT");
  });
});
