// Tests for the route behind the button of a node: it runs what is deployed, once per click, and nothing else.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import { JQUERY } from "../../../../support/runtime";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { startService, type TestService } from "../../../../support/service";

const NODE = "node-under-test";

describe("the button of a node", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (type: string, properties: object = {}): Promise<void> => {
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode(type, { siteId: "demo-house", ...properties }, { account });
  };
  const press = (id = NODE) =>
    helper
      .request()
      .post(`/energy-sites/nodes/${id}/run`)
      .set({ ...JQUERY, "Content-Type": "application/json" })
      .send("{}");

  for (const [type, properties] of [
    ["energy-site-list", {}],
    ["energy-site-info", {}],
    ["energy-telemetry-poll", {}],
    ["energy-latest-value", { path: "storage.stateOfCharge" }],
    ["energy-rgm-read", { siteId: "demo-farm" }],
    ["energy-alerts", {}],
    ["energy-history", { range: "last24h" }],
  ] as const) {
    it(`runs ${type} as a message would`, async () => {
      await start(type, properties);
      const { body } = await press().expect(200);
      assert.deepEqual(body, {});
      const message = await node.output<{ payload: unknown }>();
      assert.ok(message.payload);
      await node.completed();
    });
  }

  it("does not run a node twice at a time: clicks while it waits share a run", async () => {
    await start("energy-site-list");
    const hold = service.hold(/sites/);
    await press().expect(200);
    await hold.arrived();
    await press().expect(200);
    await press().expect(200);
    assert.equal(service.requestsTo(/sites/).length, 1);
    hold.release();
    for (let run = 0; run < 3; run++) await node.completed();
    assert.equal(service.requestsTo(/sites/).length, 2);
  });

  it("reports a failed run at the catch node", async () => {
    await start("energy-site-info", { siteId: "" });
    await press().expect(200);
    const { energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_INPUT");
  });

  it("runs no node of another type, and none that is not deployed", async () => {
    await start("energy-threshold", { high: 60, low: 20 });
    for (const id of [NODE, "catch-all", "gone", "__proto__"]) {
      const { body } = (await press(id).expect(400)) as { body: { fault: { text: { key: string } } } };
      assert.equal(body.fault.text.key, "nodeNotDeployed");
    }
  });
});
