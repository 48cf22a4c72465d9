// Tests for totals on a schedule: what runs cost, days that are sent again because they have changed, and what goes on over midnight.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import type { TotalsMessage } from "../../../src/messages/messages";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { usePassingTime } from "../../support/passing-time";
import { startService, type TestService } from "../../support/service";

/** 12:02 in Berlin, on a day without a change of clocks. */
const NOW = Date.parse("2026-05-06T10:02:00Z");
const YESTERDAY = "2026-05-05T00:00:00+02:00";

describe("totals on a schedule", () => {
  let service: TestService;
  let node: NodeUnderTest;
  let clock: ReturnType<typeof usePassingTime>;

  beforeEach(async () => {
    clock = usePassingTime(NOW, ["setTimeout", "clearTimeout"]);
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  async function start(properties: Record<string, unknown>): Promise<void> {
    const account = { baseUrl: service.baseUrl, apiVersion: "" };
    const schedule = { siteId: "demo-house", repeat: 5, onDeploy: false };
    node = await startNode("energy-totals", { ...schedule, ...properties }, { account });
  }

  /** Lets time pass until the next run is over; resolves to its messages. */
  async function nextRun(): Promise<TotalsMessage[]> {
    const before = node.sent().length;
    for (let second = 0; second < 600 && !isDone(before); second += 5) {
      await clock.tickAsync(5000);
      await service.idle();
    }
    await clock.tickAsync(100);
    await service.idle();
    return node.sent<TotalsMessage>().slice(before);
  }

  const isDone = (before: number): boolean =>
    node
      .sent<TotalsMessage>()
      .slice(before)
      .some(({ energy }) => energy.period !== "day");
  const telemetry = (): number => service.requestsTo(/telemetry/).length;

  it("costs a request a run for today so far, and none for what is known of the site", async () => {
    await start({ period: "today" });
    await nextRun();
    const [all, records] = [service.requests.length, telemetry()];
    for (let run = 0; run < 4; run += 1) assert.equal((await nextRun()).length, 1);
    assert.equal(telemetry(), records + 4);
    assert.equal(service.requests.length, all + 4);
  });

  it("sends a day by itself once its late records have come", async () => {
    service.hideRecords(
      (_site, _system, { startTime }) => startTime >= "2026-05-05T12" && startTime < "2026-05-05T13",
    );
    await start({ period: "yesterday" });
    const [first] = await nextRun();
    assert.ok(first && first.payload.quality.coverage < 1);
    assert.equal(first.energy.revision, 1);
    clock.setSystemTime(NOW + DAY);
    const late = await nextRun();
    assert.deepEqual(
      late.map(({ energy }) => energy.startTime),
      ["2026-05-06T00:00:00+02:00"],
      "still missing",
    );
    service.hideRecords(undefined);
    await clock.tickAsync(2 * HOUR);
    await service.idle();
    const again = node.sent<TotalsMessage>().filter(({ energy }) => energy.period === "day");
    assert.equal(again.length, 1);
    const [{ payload, energy } = assert.fail()] = again;
    assert.deepEqual(
      [payload.period, energy.startTime, energy.revision, payload.quality.coverage],
      ["day", YESTERDAY, 2, 1],
    );
  });

  it("sends the days that no run has read, although a message has read them before", async () => {
    await start({ period: "yesterday" });
    await nextRun();
    clock.setSystemTime(NOW + 3 * DAY);
    node.input({ payload: "go" });
    await service.idle();
    const startTimes = node.sent<TotalsMessage>().map(({ energy }) => energy.startTime.slice(0, 10));
    assert.deepEqual(startTimes, ["2026-05-05", "2026-05-08"], "a reply is one message");
    const sent = await nextRun();
    assert.deepEqual(
      sent.map(({ energy: { startTime, period, revision } }) => [startTime.slice(0, 10), period, revision]),
      [
        ["2026-05-06", "day", 1],
        ["2026-05-07", "day", 1],
        ["2026-05-08", "yesterday", 1],
      ],
    );
  });

  it("sends a day by itself once a price of it was corrected", async () => {
    await start({ period: "today", importPriceType: "prices", exportPrice: "0.1" });
    const prices = (value: number): NodeMessage => ({
      payload: [{ start: "2026-05-05T00:00:00Z", end: "2026-05-07T00:00:00Z", value }],
    });
    node.input(prices(0.2));
    node.input({ payload: "go" });
    await node.completed();
    await nextRun();
    // The next day: yesterday is known as far as it had come.
    clock.setSystemTime(NOW + DAY);
    assert.deepEqual(
      (await nextRun()).map(({ energy }) => energy.period),
      ["today"],
    );
    const requests = telemetry();
    assert.deepEqual((await nextRun()).length, 1);
    assert.equal(telemetry(), requests + 1);
    node.input(prices(0.4));
    const [day, today] = await nextRun();
    assert.deepEqual([day?.energy.period, today?.energy.period], ["day", "today"]);
    assert.equal(day?.energy.startTime, "2026-05-06T00:00:00+02:00");
    assert.equal(day.energy.revision, 2);
    const { imported } = day.payload.energy;
    assert.ok(Math.abs((day.payload.money?.import ?? 0) - (imported ?? 0) * 0.4) < 1e-6);
  });

  it("follows the battery over midnight, for one more request a day", async () => {
    await start({ period: "today", importPrice: "0.3", exportPrice: "0.1" });
    await nextRun();
    const midnight = Date.parse("2026-05-06T22:00:00Z");
    clock.setSystemTime(midnight + 12 * MINUTE);
    await nextRun();
    // From then on, the day before is known to follow another one.
    clock.setSystemTime(midnight + DAY + 12 * MINUTE);
    const requests = telemetry();
    const [today] = await nextRun();
    assert.equal(today?.energy.startTime, "2026-05-08T00:00:00+02:00");
    assert.equal(telemetry(), requests + 2);
    await nextRun();
    assert.equal(telemetry(), requests + 3);
    // What the battery gives after midnight was stored the day before, and had a value then.
    const { flows, money } = today.payload;
    assert.ok((flows?.batteryToHome ?? 0) > 0);
    assert.ok((money?.effectivePrice ?? 0) > 0.05, String(money?.effectivePrice));
  });
});
