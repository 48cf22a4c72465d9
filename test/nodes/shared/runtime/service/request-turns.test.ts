// Tests for whose request goes first when nodes of one account wait for the same slot.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import helper from "node-red-node-test-helper";
import type sinon from "sinon";
import { SeriesReading } from "../../../../../nodes/shared/runtime/records/record-ports";
import type { Run } from "../../../../../nodes/shared/runtime/service/service-node";
import { systemClock } from "../../../../../src/clock";
import { Rhythms } from "../../../../../src/series/rhythm";
import type { Priority } from "../../../../../src/client/http/fair-queue";
import { HOUR, MINUTE } from "../../../../../src/time-units";
import { clientOf } from "../../../../client/clients";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { serveSites, siteIds } from "../../../../support/many-sites";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";

/** A second node of the account, which someone waits for. */
const OTHER = {
  id: "other",
  z: "tab",
  type: "energy-latest-value",
  account: "the-account",
  siteId: "urgent",
  systemId: "urgent-1",
};

describe("requests that wait for a slot", () => {
  let service: TestService;
  let clock: sinon.SinonFakeTimers;
  let node: NodeUnderTest | undefined;

  beforeEach(async () => {
    clock = usePassingTime(Date.UTC(2026, 5, 10, 10, 2), ["setTimeout", "clearTimeout"]);
    service = await startService();
    serveSites(service, siteIds(6));
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await service.close();
    clock.restore();
  });

  const start = async (type: string, properties: Record<string, unknown>): Promise<NodeUnderTest> => {
    const account = { baseUrl: service.baseUrl, concurrency: 1, timeout: 3600 };
    node = await startNode(type, properties, { account, others: [OTHER] });
    return node;
  };
  /** The sites in the order of their requests, once the first request was held until the other node asked, too. */
  const order = async (begin: (node: NodeUnderTest) => void): Promise<string[]> => {
    const hold = service.hold(/telemetry$/);
    begin(node ?? assert.fail());
    while (service.requestsTo(/telemetry$/).length === 0) {
      await clock.tickAsync(1000);
      await service.idle();
    }
    (helper.getNode("other") as { receive(message: NodeMessage): void }).receive({});
    await service.idle();
    hold.release();
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await service.idle();
      await clock.tickAsync(1000);
    }
    return service.requestsTo(/telemetry$/).map(({ path }) => /sites\/([^/]+)/.exec(path)?.[1] ?? "");
  };

  it("lets a message go before a schedule", async () => {
    await start("energy-latest-value", { siteId: "*", systemId: "*", repeat: 5 });
    const [first, second, ...others] = await order(() => undefined);
    assert.deepEqual([first, second], ["site-0", "urgent"]);
    assert.equal(others.length, 5);
  });

  it("lets a message go before history", async () => {
    await start("energy-history", { siteId: "site-0" });
    const payload = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-09T00:00:00Z" };
    const [first, second, ...others] = await order((history) => history.input({ payload }));
    assert.deepEqual([first, second], ["site-0", "urgent"]);
    assert.equal(others.length, 7);
  });

  it("counts windows of the past as backlog, and none that reaches to now", async () => {
    const client = clientOf(service);
    const asked: (Priority | undefined)[] = [];
    const serviceOf = (priority?: Priority): Promise<typeof client> => {
      asked.push(priority);
      return Promise.resolve(client);
    };
    const account = (): { rhythms: Rhythms } => ({ rhythms: new Rhythms() });
    const reader = { id: "n", repeat: 0 };
    const run = { clock: systemClock, service: serviceOf, account, reader };
    const series = {
      siteId: "site-0",
      systemId: undefined,
      generation: undefined,
      names: {},
      since: undefined,
    };
    const now = Date.now();
    const never = new AbortController().signal;
    const reading = new SeriesReading(run as unknown as Run, series, { source: "telemetry" });
    for (const end of [now - HOUR, now, now + MINUTE])
      await reading.read({ start: now - 2 * HOUR, end }, never);
    client.close();
    assert.deepEqual(asked, ["backlog", undefined, undefined]);
  });
});
