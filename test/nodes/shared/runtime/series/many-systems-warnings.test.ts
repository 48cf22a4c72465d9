// Tests that a poll of many systems causes no warning of Node.js, such as one of too many listeners.
import assert from "node:assert/strict";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { serveSites, siteIds } from "../../../../support/many-sites";
import { startService, type TestService } from "../../../../support/service";

/** More than the ten listeners of which Node.js warns. */
const SYSTEMS = 16;
const RECORDS = 2;

describe("a poll of many systems", () => {
  let service: TestService;
  let node: NodeUnderTest;
  let warnings: Error[];
  const listen = (warning: Error): void => void warnings.push(warning);

  beforeEach(async () => {
    warnings = [];
    process.on("warning", listen);
    service = await startService();
    serveSites(service, siteIds(SYSTEMS)).records = RECORDS;
  });
  afterEach(async () => {
    process.off("warning", listen);
    await node.stop();
    await service.close();
  });

  const start = async (properties: Record<string, unknown>): Promise<void> => {
    const all = { siteId: "*", systemId: "*", startFrom: "hours", startHours: 1 };
    const account = { baseUrl: service.baseUrl, concurrency: 32 };
    node = await startNode("energy-telemetry-poll", { ...all, ...properties }, { account });
  };

  it("causes no warning in sent delivery", async () => {
    await start({});
    node.input({});
    await node.completed();
    assert.equal(node.sent().length, SYSTEMS * RECORDS);
    assert.deepEqual(warnings, []);
  });

  it("causes no warning in confirmed delivery, while every system waits for confirmations", async () => {
    await start({ delivery: "confirmed", maxUnconfirmed: 1 });
    node.input({});
    for (let count = 0; count < SYSTEMS * RECORDS; count += 1) {
      const { energy } = await node.output<{ energy: { delivery: string } }>();
      node.input({ energy: { delivery: energy.delivery } });
    }
    assert.deepEqual(warnings, []);
  });
});
