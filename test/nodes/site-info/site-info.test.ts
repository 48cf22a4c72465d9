// Tests for site info: the details of one site, and how the site is determined.
import assert from "node:assert/strict";
import type { SiteInfoMessage } from "../../../src/messages/messages";
import { type NodeOptions, type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

describe("site info", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (properties: Record<string, unknown>, options: NodeOptions = {}): Promise<void> => {
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode("energy-site-info", properties, { account, ...options });
  };
  const ask = async (message: Record<string, unknown> = {}): Promise<SiteInfoMessage> => {
    node.input(message);
    return await node.output<SiteInfoMessage>();
  };
  const rejection = async (
    message: Record<string, unknown> = {},
  ): Promise<{ code: string; message: string }> => {
    node.input(message);
    const { error, energy } = await node.caught();
    assert.equal(node.sent().length, 0);
    return { code: energy.error.code, message: error.message };
  };

  it("sends the details with generations, systems and whether there is a meter", async () => {
    await start({ siteId: "demo-twin" });
    const { payload, energy, topic, siteId } = await ask();
    assert.equal(payload.siteId, "demo-twin");
    assert.deepEqual(energy, {
      kind: "site-info",
      generations: ["PC1"],
      hasRgm: true,
      systemIds: ["demo-twin-a", "demo-twin-b"],
    });
    assert.deepEqual([topic, siteId], ["demo-twin", "demo-twin"]);
  });

  it("distinguishes a site without systems from one with a meter", async () => {
    await start({});
    const { energy } = await ask({ siteId: "demo-empty" });
    assert.deepEqual(energy, { kind: "site-info", generations: [], hasRgm: false, systemIds: [] });
  });

  it("does not know of a meter where the service lists no devices, but for PC2, which has none", async () => {
    await start({});
    for (const [systemGeneration, energy] of [
      ["PC1", { kind: "site-info", generations: ["PC1"], systemIds: ["a"] }],
      ["PC2", { kind: "site-info", generations: ["PC2"], hasRgm: false, systemIds: ["a"] }],
      [undefined, { kind: "site-info", generations: [], systemIds: ["a"] }],
    ] as const) {
      const body = { siteId: "home", systems: [{ systemId: "a", systemGeneration }] };
      service.fault({ path: /sites\/home$/, body });
      assert.deepEqual((await ask({ siteId: "home" })).energy, energy);
    }
  });

  it("does not know of a meter where a system cannot be read", async () => {
    await start({});
    for (const systems of [[null], [{ systemId: "a", systemGeneration: "PC2" }, "b"]]) {
      service.fault({ path: /sites\/home$/, body: { siteId: "home", systems } });
      assert.equal("hasRgm" in (await ask({ siteId: "home" })).energy, false);
    }
  });

  it("passes on the system of a message for the same site, and drops that of another", async () => {
    await start({ siteId: "demo-twin" });
    assert.equal((await ask({ siteId: "demo-twin", systemId: "demo-twin-a" })).systemId, "demo-twin-a");
    assert.equal("systemId" in (await ask({ siteId: "demo-farm", systemId: "demo-farm-1" })), false);
  });

  it("never lets a message override the site that is set in the node", async () => {
    await start({ siteId: "demo-house" });
    assert.equal((await ask({ siteId: "demo-farm" })).payload.siteId, "demo-house");
  });

  for (const [name, properties, message] of [
    ["the message if the node's own is empty", {}, { siteId: "demo-farm" }],
    [
      "a property of the message",
      { siteId: "payload.site", siteIdType: "msg" },
      { payload: { site: "demo-farm" } },
    ],
    ["a JSONata expression", { siteId: '"demo-" & payload', siteIdType: "jsonata" }, { payload: "farm" }],
    ["the environment", { siteId: "SITE", siteIdType: "env" }, {}],
  ] as const) {
    it(`reads the site from ${name}`, async () => {
      await start(properties, { env: [{ name: "SITE", value: "demo-farm", type: "str" }] });
      assert.equal((await ask(message)).payload.siteId, "demo-farm");
    });
  }

  it("refuses the details of another site than the requested one, but not of one in other letters", async () => {
    await start({ siteId: "demo-farm" });
    service.fault({ path: /sites\/demo-farm$/, body: { siteId: "demo-house", systems: [] } });
    assert.equal((await rejection()).code, "ENERGY_RESPONSE");
    service.fault({ path: /sites\/demo-farm$/, body: { siteId: "DEMO-FARM", systems: [] } });
    assert.equal((await ask()).payload.siteId, "DEMO-FARM");
  });

  it("percent-encodes the id into the path", async () => {
    await start({});
    await rejection({ siteId: "a/b?c=1#d e" });
    assert.equal(service.requestsTo(/sites/)[0]?.path, "/v1/sites/a%2Fb%3Fc%3D1%23d%20e");
  });

  for (const [name, properties, message, code] of [
    ["no site", {}, {}, "ENERGY_INPUT"],
    ["an empty site", {}, { siteId: "  " }, "ENERGY_INPUT"],
    ["a number", {}, { siteId: 42 }, "ENERGY_INPUT"],
    ["an array", {}, { siteId: ["demo-house"] }, "ENERGY_INPUT"],
    ["* for every site", { siteId: "*" }, {}, "ENERGY_CONFIG"],
    ["* in the message", {}, { siteId: "*" }, "ENERGY_INPUT"],
    ["an id of 256 characters", {}, { siteId: "x".repeat(256) }, "ENERGY_INPUT"],
    ["an id with a control character", { siteId: "a\u0007" }, {}, "ENERGY_CONFIG"],
    ["a path that leaves the sites", {}, { siteId: ".." }, "ENERGY_INPUT"],
    ["a reference in the message", {}, { siteId: "${NOT_THERE}" }, "ENERGY_INPUT"],
    ["a JSONata error", { siteId: "$substring(1", siteIdType: "jsonata" }, {}, "ENERGY_CONFIG"],
    ["a JSONata failure", { siteId: "$error('no')", siteIdType: "jsonata" }, {}, "ENERGY_INPUT"],
    ["a missing property", { siteId: "payload.site", siteIdType: "msg" }, { payload: 1 }, "ENERGY_INPUT"],
    ["an undefined variable", { siteId: "NOT_THERE", siteIdType: "env" }, {}, "ENERGY_CONFIG"],
    ["an undefined reference", { siteId: "${NOT_THERE}" }, {}, "ENERGY_CONFIG"],
  ] as const) {
    it(`rejects ${name} with ${code} and sends no request`, async () => {
      await start(properties);
      const error = await rejection(message);
      assert.equal(error.code, code);
      assert.ok(error.message.length > 20);
      assert.equal(service.requestsTo(/sites/).length, 0);
    });
  }

  it("says what to check if the site does not exist", async () => {
    await start({ siteId: "nobody" });
    node.input({});
    const caught = await node.caught();
    assert.equal(caught.energy.error.code, "ENERGY_HTTP");
    assert.equal(caught.energy.error.statusCode, 404);
  });
});
