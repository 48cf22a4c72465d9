// Tests that sites which the service refuses leave nothing on the disk: messages may name any number of them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import helper from "node-red-node-test-helper";
import { notesOf } from "../../../../../nodes/shared/runtime/lifecycle/node-notes";
import { NODE, SITE } from "../../../../support/diagnostics";
import { startNode } from "../../../../support/flow";
import { startService } from "../../../../support/service";
import { temporaryFolder } from "../../../../support/temporary";

describe("a site that the service refuses", () => {
  for (const [type, properties] of [
    ["telemetry-poll", {}],
    ["telemetry-poll", { systemId: "*" }],
    ["telemetry-poll", { systemId: "made-up" }],
    ["telemetry-poll", { startFrom: "hours", startHours: 24 }],
    ["telemetry-poll", { startFrom: "hours", startHours: 24, systemId: "made-up" }],
    ["telemetry-poll", { startFrom: "hours", startHours: 240, systemId: "made-up" }],
    ["telemetry-poll", { delivery: "confirmed" }],
    ["telemetry-poll", { delivery: "confirmed", systemId: "made-up" }],
    ["telemetry-poll", { delivery: "confirmed", startFrom: "hours", startHours: 2, systemId: "made-up" }],
    ["rgm-read", { mode: "new" }],
    ["rgm-read", { mode: "new", systemId: "made-up" }],
    ["rgm-read", { mode: "new", startFrom: "hours", startHours: 24, systemId: "made-up" }],
    ["rgm-read", { mode: "latest", systemId: "made-up" }],
    ["latest-value", { systemId: "made-up" }],
    ["history", { range: "last24h", systemId: "made-up" }],
    ["totals", { period: "today", systemId: "made-up" }],
    ["latest-value", { systemId: "*" }],
    ["alerts", { scope: "site", output: "changes" }],
  ] as const) {
    it(`leaves no file of ${type} ${JSON.stringify(properties)}`, async () => {
      const service = await startService();
      const userDir = temporaryFolder();
      const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
      const node = await startNode(`energy-${type}`, properties, { account, userDir });
      for (const siteId of ["made-up-1", "made-up-2"]) {
        node.input({ siteId });
        await node.caught();
      }
      await node.stop();
      await service.close();
      assert.equal(existsSync(join(userDir, "energy-sites")), false);
    });
  }

  it("is not remembered by a poll", async () => {
    const service = await startService();
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    const node = await startNode("energy-telemetry-poll", {}, { account, userDir: temporaryFolder() });
    node.input({ siteId: SITE });
    await node.completed();
    for (let count = 0; count < 3; count += 1) {
      node.input({ siteId: `made-up-${count}`, systemId: "made-up" });
      await node.caught();
    }
    const series = notesOf(helper.getNode(NODE)).series();
    await node.stop();
    await service.close();
    assert.deepEqual(
      series.map(({ address }) => address.siteId),
      [SITE],
    );
  });
});
