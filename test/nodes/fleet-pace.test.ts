// Tests for the pace of runs over a thousand sites: no burst, the same order in each run, and an early end after a deploy.
import assert from "node:assert/strict";
import type sinon from "sinon";
import { type NodeUnderTest, startNode } from "../support/flow";
import { type ManySites, serveSites, siteIds } from "../support/many-sites";
import { usePassingTime } from "../support/passing-time";
import { startService, type TestService } from "../support/service";

const SITES = 1000;
const SECOND = 1000;

describe("runs over a thousand sites", function () {
  this.timeout(60_000);
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let sites: ManySites;
  let node: NodeUnderTest;

  beforeEach(async () => {
    clock = usePassingTime(Date.UTC(2026, 5, 10, 10, 4), ["setTimeout", "clearTimeout"]);
    service = await startService();
    sites = serveSites(service, siteIds(SITES));
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown>): Promise<void> => {
    const account = { baseUrl: service.baseUrl, concurrency: 8, timeout: 3600 };
    const all = { siteId: "*", systemId: "*", repeat: 5 };
    node = await startNode("energy-latest-value", { ...all, ...properties }, { account });
  };
  const passUntil = async (requests: number): Promise<void> => {
    while (sites.requested().length < requests) {
      await clock.tickAsync(SECOND / 4);
      await service.idle();
    }
  };
  /** The most requests in any second, and the seconds from the first to the last. */
  const pace = (): { most: number; seconds: number } => {
    const times = service.requestsTo(/telemetry$/).map(({ at }) => at);
    const most = Math.max(
      ...times.map(
        (time, index) => times.slice(index, index + 100).filter((at) => at < time + SECOND).length,
      ),
    );
    return { most, seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / SECOND };
  };

  it("are spread over the interval without a burst, in the same order each time", async () => {
    await start({});
    await passUntil(SITES);
    const { most, seconds } = pace();
    assert.ok(most <= 12, `${most} requests in a second`);
    assert.ok(seconds >= 240 && seconds <= 275, `${seconds} s`);
    await passUntil(SITES + 50);
    const requested = sites.requested();
    assert.deepEqual(requested.slice(0, 50).toSorted(), requested.slice(SITES, SITES + 50).toSorted());
  });

  it("are over within a minute after a deploy", async () => {
    await start({ onDeploy: true, repeat: 60 });
    await passUntil(SITES);
    const { most, seconds } = pace();
    assert.ok(seconds <= 35, `${seconds} s`);
    assert.ok(most <= 60, `${most} requests in a second`);
  });
});
