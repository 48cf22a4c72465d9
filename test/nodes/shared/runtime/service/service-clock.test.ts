// Tests for nodes on a machine with a wrong clock: they follow the service's, and say so once, in the log and the status.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { LatestValueMessage, RgmMessage, TelemetryMessage } from "../../../../../src/messages/messages";
import type { RgmRecord } from "../../../../../src/models/telemetry";
import { HOUR, MINUTE } from "../../../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";

/** By the service's clock: two minutes after the newest record ended. */
const NOW = Date.UTC(2026, 5, 10, 10, 7);

describe("nodes on a machine with a wrong clock", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;
  /** Service time minus local time, in milliseconds. */
  let ahead: number;

  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  async function start(hoursAhead: number, type: string, properties: object = {}): Promise<void> {
    ahead = hoursAhead * HOUR;
    clock = usePassingTime(NOW - ahead);
    service = await startService({ now: () => Date.now() + ahead });
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode(type, { siteId: "demo-house", ...properties }, { account });
  }
  async function run(message: object = {}): Promise<void> {
    node.input({ ...message });
    await node.completed();
  }
  /** A node shows at most five statuses a second. */
  const passSecond = (): void => clock.setSystemTime(Date.now() + 1000);
  const warnings = (): string[] => node.logged().match(/The clock is .*?\(NTP\)/g) ?? [];
  const clockStatuses = (): string[] => node.statuses().filter((text) => text.startsWith("clock"));

  for (const hours of [3, -3, 240]) {
    it(`latest value reads the newest record if the service is ahead by ${hours} h`, async () => {
      await start(hours, "energy-latest-value", { path: "storage.stateOfCharge" });
      await run();
      const [{ energy } = assert.fail()] = node.sent<LatestValueMessage>();
      assert.equal(energy.reason, undefined);
      assert.equal(Date.parse(energy.endTime ?? ""), NOW - 2 * MINUTE);
      // A Date header has whole seconds.
      assert.ok(Math.abs((energy.ageSeconds ?? 0) - 120) <= 1);
      await run();
      // The first read was planned with the wrong time, so that a clock that is ahead makes it look further back; the second and later ones are right at once.
      const ends = service.requestsTo(/telemetry$/).map(({ query }) => Date.parse(query["endTime"] ?? ""));
      assert.equal(ends.length, hours < 0 ? 4 : 3);
      for (const end of ends.slice(-2)) assert.ok(Math.abs(end - NOW - 15 * MINUTE) <= 1000);
    });
  }

  it("rgm read reads the latest record", async () => {
    await start(3, "energy-rgm-read", { siteId: "demo-farm", mode: "latest" });
    await run();
    const [{ payload } = assert.fail()] = node.sent<RgmMessage>();
    assert.ok(Date.parse((payload as RgmRecord).endTime) > NOW - 10 * MINUTE);
  });

  it("telemetry poll delivers each record of the service once, and none as live that is old", async () => {
    await start(3, "energy-telemetry-poll", { startFrom: "hours", startHours: 2, maxAge: 15 });
    for (let count = 0; count < 3; count += 1) {
      await run();
      clock.setSystemTime(Date.now() + 5 * MINUTE);
    }
    const sent = node.sent<TelemetryMessage>().flatMap(({ energy }) => ("recordId" in energy ? energy : []));
    assert.equal(new Set(sent.map(({ recordId }) => recordId)).size, sent.length);
    for (const { phase, endTime } of sent)
      assert.equal(phase === "live", Date.parse(endTime) >= NOW - 15 * MINUTE, `${phase} ${endTime}`);
    assert.equal(Date.parse(sent.at(-1)?.endTime ?? ""), NOW + 8 * MINUTE);
  });

  for (const [hours, text] of [
    [3, "clock 3 h behind"],
    [-2.5, "clock 2 h 30 min ahead"],
    [240, "clock 10 d behind"],
  ] as const) {
    it(`say once that the clock is wrong: ${text}`, async () => {
      await start(hours, "energy-site-info");
      for (let count = 0; count < 3; count += 1) await run();
      assert.deepEqual(clockStatuses(), [text]);
      assert.equal(warnings().length, 1);
      assert.ok(warnings()[0]?.includes(text.replace("clock", "The clock is")));
      assert.doesNotMatch(node.statuses().at(-1) ?? "", /clock/);
    });
  }

  it("say so again when the clock is set wrong in another way, and not when it is set right", async () => {
    await start(3, "energy-site-info");
    await run();
    ahead = 5 * HOUR;
    for (let count = 0; count < 3; count += 1) {
      await run();
      passSecond();
    }
    assert.deepEqual(clockStatuses(), ["clock 3 h behind", "clock 5 h behind"]);
    ahead = 0;
    for (let count = 0; count < 2; count += 1) await run();
    passSecond();
    assert.equal(clockStatuses().length, 2);
    ahead = 3 * HOUR;
    for (let count = 0; count < 2; count += 1) await run();
    assert.equal(clockStatuses().length, 3);
    assert.equal(warnings().length, 3);
  });

  it("say nothing if the clock is right within a minute", async () => {
    await start(0.01, "energy-site-info");
    await run();
    assert.deepEqual([clockStatuses(), warnings()], [[], []]);
  });
});
