// Tests for latest value when the read fails: the reason failed on output 2, and the cause to a catch node.
import assert from "node:assert/strict";
import type { LatestValueMessage } from "../../../src/messages/messages";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

describe("latest value that fails", () => {
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
    const settings = { baseUrl: service.baseUrl, ...account };
    node = await startNode(
      "energy-latest-value",
      { siteId: "demo-house", ...properties },
      { account: settings },
    );
  };
  const ask = async (message: Record<string, unknown> = {}): Promise<LatestValueMessage> => {
    node.input(message);
    return await node.output<LatestValueMessage>(2);
  };

  it("reports failed on output 2, and the cause to a catch node", async () => {
    service.fault({ path: /telemetry/, status: 501, body: { message: "out of order" } });
    await start();
    const { payload, energy } = await ask({ other: 1 });
    assert.equal(payload, null);
    assert.equal(energy.reason, "failed");
    const caught = await node.caught<{ other: number }>();
    assert.equal(caught.other, 1);
    assert.equal(caught.energy.error.code, "ENERGY_HTTP");
    assert.equal(caught.energy.error.statusCode, 501);
    assert.equal(caught.energy.error.serviceText, "out of order");
  });

  it("reports failed even if the account is not configured", async () => {
    await start({}, { baseUrl: "" });
    assert.equal((await ask()).energy.reason, "failed");
    const { energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
  });

  it("names the system on output 2 even if the account is not configured", async () => {
    await start({ systemId: "demo-house-1" }, { baseUrl: "" });
    assert.equal((await ask()).topic, "demo-house/demo-house-1");
  });

  it("names no site on output 2 if it knows none of its own, whatever site the message is about", async () => {
    service.fault({ path: /sites$/, status: 404 });
    await start({ siteId: "*" });
    const { energy, ...message } = await ask({ siteId: "demo-farm", systemId: "demo-farm-1" });
    assert.deepEqual([energy.reason, message.siteId, message.systemId], ["failed", undefined, undefined]);
  });

  it("rejects a message with a range, and an invalid path", async () => {
    await start({ path: "storage[" });
    for (const [message, code] of [
      [{ startTime: "2026-06-10T09:00:00Z" }, "ENERGY_INPUT"],
      [{}, "ENERGY_CONFIG"],
    ] as const) {
      node.input(message);
      const { energy } = await node.caught();
      assert.equal(energy.error.code, code);
    }
  });
});
