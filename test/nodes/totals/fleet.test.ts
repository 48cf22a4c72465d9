// Tests for totals of a fleet: one request a system and day, in turns, with days in bounded memory.
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TotalsMessage } from "../../../src/messages/messages";
import { HOUR } from "../../../src/time-units";
import { TurnWatch } from "../../support/cpu-time";
import { startNode } from "../../support/flow";
import { startService } from "../../support/service";

/** Systems: `FLEET_SYSTEMS=10000` takes a minute and a half. */
const SYSTEMS = Number(process.env["FLEET_SYSTEMS"] ?? 30);
/** Records of an hour. */
const RECORDS = 24;

describe("totals of a fleet", function () {
  this.timeout(600_000);

  it(`reads yesterday of ${SYSTEMS} systems with a request each, and holds the event loop for no one`, async () => {
    const service = await startService();
    const sites = Array.from({ length: SYSTEMS }, (_none, index) => ({
      siteId: `site-${index}`,
      timezone: "UTC",
      systems: [{ systemId: `system-${index}`, generation: "PC2", capabilities: { solar: {} } }],
    }));
    const always = { times: Number.POSITIVE_INFINITY };
    const respond =
      (bodyOf: (url: URL) => object) =>
      ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(bodyOf(new URL(url, "http://localhost"))));
      };
    let requests = 0;
    service.fault({ path: /v1\/sites$/, ...always, respond: respond(() => ({ sites })) });
    service.fault({
      path: /telemetry$/,
      ...always,
      respond: respond(({ searchParams }) => {
        requests += 1;
        const start = Math.floor(Date.parse(searchParams.get("startTime") ?? "") / HOUR) * HOUR;
        return { data: Array.from({ length: RECORDS + 1 }, (_none, hour) => recordAt(start + hour * HOUR)) };
      }),
    });
    const account = { baseUrl: service.baseUrl, apiVersion: "" };
    const node = await startNode(
      "energy-totals",
      { siteId: "*", systemId: "*", period: "yesterday" },
      { account },
    );
    const watch = new TurnWatch();
    try {
      const run = async (): Promise<TotalsMessage[]> => {
        const before = node.sent().length;
        node.input({ payload: "go" });
        await node.completed();
        return node.sent<TotalsMessage>().slice(before);
      };
      const messages = await run();
      assert.equal(messages.length, SYSTEMS);
      assert.ok(messages.every(({ payload }) => payload.energy.imported === 2.4 && payload.quality.complete));
      assert.equal(requests, SYSTEMS);
      watch.longest();
      await run();
      assert.equal(requests, SYSTEMS, "yesterday is known");
      const longest = watch.longest();
      assert.ok(longest < 1000, `the event loop was held for ${longest} ms`);
    } finally {
      watch.stop();
      await node.stop();
      await service.close();
    }
  });
});

function recordAt(time: number): object {
  return {
    startTime: new Date(time).toISOString(),
    endTime: new Date(time + HOUR).toISOString(),
    grid: { importedEnergy: 100, exportedEnergy: 0 },
    solar: { energy: 50 },
    consumption: { energy: 150 },
  };
}
