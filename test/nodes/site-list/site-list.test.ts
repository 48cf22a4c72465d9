// Tests for site list: the sites that the credentials can see, in one message or one by one.
import assert from "node:assert/strict";
import type { SiteListMessage } from "../../../src/messages/messages";
import type { Site } from "../../../src/models/site";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { atSlowPace } from "../../support/passing-time";
import { startService, type TestService } from "../../support/service";

const ALL_SITES = ["demo-balcony", "demo-cabin", "demo-empty", "demo-farm", "demo-house", "demo-twin"];

describe("site list", () => {
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
    properties: Record<string, unknown>,
    account: Record<string, unknown> = {},
  ): Promise<void> => {
    const settings = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview", ...account };
    node = await startNode("energy-site-list", properties, { account: settings });
  };
  const run = async (message: Record<string, unknown> = { payload: "go" }): Promise<SiteListMessage[]> => {
    node.input(message);
    await node.completed();
    return node.sent<SiteListMessage>();
  };

  it("sends all sites as the service returned them, in one message", async () => {
    await start({ output: "list" });
    const [message, ...more] = await run({ payload: "go", other: { kept: true }, siteId: "of another" });
    assert.equal(more.length, 0);
    const sites = message?.payload as Site[];
    assert.deepEqual(sites.map(({ siteId }) => siteId).toSorted(), ALL_SITES);
    assert.deepEqual(message?.energy, { kind: "site-list", count: 6 });
    assert.deepEqual((message as unknown as { other: object }).other, { kept: true });
    assert.equal("siteId" in (message ?? {}), false);
  });

  it("shows only sites without PC1 systems when the account does not opt in", async () => {
    await start({ output: "list" }, { apiVersion: "" });
    const [message] = await run();
    assert.deepEqual(((message?.payload ?? []) as Site[]).map(({ siteId }) => siteId).toSorted(), [
      "demo-empty",
      "demo-house",
    ]);
    assert.equal(service.requestsTo(/sites/)[0]?.headers["vendorapi-version"], undefined);
  });

  it("sends a system once that is listed twice, and without an id each of a site that is", async () => {
    const sites = [
      { siteId: "a", systems: [{ systemId: "1" }, { systemId: "2" }, { systemId: "1" }] },
      { siteId: "b", systems: [{}, {}] },
      { siteId: "a", systems: [{ systemId: "2" }, { systemId: "3" }] },
      { siteId: "b", systems: [{}, {}] },
      { siteId: "c", systems: [{ systemId: "1" }] },
    ];
    service.fault({ path: /sites$/, body: { sites } });
    await start({ output: "systems" });
    const messages = await run();
    const topics = messages.map(({ topic }) => topic);
    assert.deepEqual(topics, ["a/1", "a/2", "b", "b", "a/3", "c/1"]);
    assert.deepEqual(messages[0]?.energy, { kind: "site-list", count: 6 });
  });

  it("sends a site once that is listed twice, as its first entry has it", async () => {
    const sites = [{ siteId: "a", siteName: "A" }, { siteId: "b" }, { siteId: "a", siteName: "B" }];
    service.fault({ path: /sites$/, body: { sites } });
    await start({ output: "sites" });
    const messages = await run();
    assert.deepEqual(
      messages.map(({ payload, energy }) => [payload, energy]),
      sites.slice(0, 2).map((site) => [site, { kind: "site-list", count: 2 }]),
    );
  });

  it("sends one message per site, as a sequence that a join node can combine", async () => {
    await start({ output: "sites" });
    const messages = await run({ parts: { id: "outer", index: 0, count: 1 } });
    assert.deepEqual(messages.map(({ siteId }) => siteId).toSorted(), ALL_SITES);
    assert.equal(new Set(messages.map(({ energy }) => energy)).size, ALL_SITES.length);
    messages.forEach((message, index) => {
      const { parts } = message as unknown as { parts: Record<string, unknown> };
      assert.deepEqual(
        { ...parts, id: "" },
        {
          parts: { id: "outer", index: 0, count: 1 },
          id: "",
          type: "array",
          count: 6,
          len: 1,
          index,
        },
      );
      assert.equal(message.topic, message.siteId);
      assert.equal((message.payload as Site).siteId, message.siteId);
      assert.deepEqual(message.energy, { kind: "site-list", count: 6 });
    });
  });

  it("sends one message per system, with the ids that the next node needs to read it", async () => {
    await start({ output: "systems" });
    const messages = await run();
    const twin = messages.filter(({ siteId }) => siteId === "demo-twin");
    assert.deepEqual(
      twin.map(({ systemId }) => systemId),
      ["demo-twin-a", "demo-twin-b"],
    );
    assert.deepEqual(
      twin.map(({ topic }) => topic),
      ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"],
    );
    assert.equal(messages.length, 6);
    assert.equal(messages[0]?.energy.count, 6);
  });

  it("lets others have their turns while it sends very many messages", async () => {
    const sites = Array.from({ length: 300 }, (_, index) => ({ siteId: `s${index}` }));
    service.fault({ path: /sites$/, body: JSON.stringify({ data: sites }) });
    await start({ output: "sites" });
    await atSlowPace(async () => {
      node.input({});
      await node.output();
      await new Promise(setImmediate);
      assert.ok(node.sent().length < sites.length / 2);
      await node.completed();
    });
    assert.equal(node.sent().length, sites.length);
  });

  it("keeps fields that the service adds later", async () => {
    await start({ output: "list" });
    const site = { siteId: "new", novelty: { deep: [1, null] }, systems: null };
    service.fault({ path: /sites/, body: { data: [site] } });
    const [message] = await run();
    assert.deepEqual(message?.payload, [site]);
  });

  it("runs once when the flow starts, if set to", async () => {
    await start({ output: "list", onDeploy: true });
    const message = await node.output<SiteListMessage>();
    assert.equal(message.energy.count, 6);
  });

  it("shows how many sites there are", async () => {
    await start({ output: "list" });
    await run();
    assert.equal(node.statuses().at(-1), "6 sites");
  });

  it("says where a response is malformed", async () => {
    await start({ output: "list" });
    service.fault({ path: /sites/, body: { data: [{ siteId: "a" }, { siteName: "no id" }] } });
    node.input({});
    const caught = await node.caught();
    assert.equal(caught.energy.error.code, "ENERGY_RESPONSE");
    assert.match(caught.error.message, /data\[1\]/);
    assert.equal(caught.energy.kind, "site-list");
    assert.equal(node.sent().length, 0);
  });
});
