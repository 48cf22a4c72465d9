// Tests for nodes on a machine with a wrong clock: they follow the service's, and say so once, in the log and the status.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { LatestValueMessage, RgmMessage, TelemetryMessage } from "../../../../../src/messages/messages";
import type { RgmRecord } from "../../../../../src/models/telemetry";
import { sharedClock } from "../../../../../src/clock";
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
      // The site list has told the time before the first read.
      const ends = service.requestsTo(/telemetry$/).map(({ query }) => Date.parse(query["endTime"] ?? ""));
      assert.equal(ends.length, 2);
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

  it("telemetry poll goes on where it was on a machine that starts with an old time, which is then set", async () => {
    await start(0, "energy-telemetry-poll", { startFrom: "hours", startHours: 1, store: "file" });
    await run();
    for (const [local, behind] of [
      [NOW - 2 * HOUR, 3 * HOUR],
      [NOW - 2 * HOUR + 5 * MINUTE, 3 * HOUR],
      [NOW + HOUR + 10 * MINUTE, 0],
    ] as const) {
      clock.restore();
      clock = usePassingTime(local);
      ahead = behind;
      await run();
      const { energy } = node.sent<TelemetryMessage>().at(-1) ?? assert.fail();
      assert.ok("phase" in energy);
      assert.deepEqual([energy.phase, Date.parse(energy.endTime)], ["live", local + behind - 2 * MINUTE]);
    }
    const ends = node.sent<TelemetryMessage>().map(({ energy }) => "endTime" in energy && energy.endTime);
    assert.equal(new Set(ends).size, ends.length);
    // Twelve of the first hour, of the second, and of ten minutes.
    assert.ok(Math.abs(ends.length - 26) <= 1, String(ends.length));
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

describe("nodes and a Date header that is wrong", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    clock = usePassingTime(NOW);
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  async function start(type: string, properties: object): Promise<void> {
    const account = { baseUrl: service.baseUrl };
    node = await startNode(type, { siteId: "demo-house", ...properties }, { account });
  }
  async function run(): Promise<void> {
    node.input({});
    await node.completed();
  }
  const startPoll = (properties: object = {}): Promise<void> =>
    start("energy-telemetry-poll", { store: "file", startFrom: "hours", startHours: 1, ...properties });
  const sent = (): [string, number][] =>
    node
      .sent<TelemetryMessage>()
      .flatMap(({ energy }) =>
        "phase" in energy ? [[energy.phase, (Date.parse(energy.endTime) - NOW) / MINUTE]] : [],
      );

  it("confirms the time with the first response of a start: no extra request, and the newest record is live", async () => {
    await startPoll();
    assert.equal(sharedClock.isSure, false);
    await run();
    assert.equal(sharedClock.isSure, true);
    assert.deepEqual(sent().at(-1), ["live", -2]);
    assert.equal(service.requestsTo(/auth/).length, 1);
    assert.equal(service.requestsTo(/telemetry/).length, 1);
  });

  for (const by of [-2 * HOUR, -3 * MINUTE]) {
    it(`poll withholds no record for longer than the next one takes if all are ${by / MINUTE} min off`, async () => {
      await startPoll();
      service.fault({ dateBy: by, times: 100 });
      for (let count = 0; count < 4; count += 1) {
        await run();
        clock.setSystemTime(Date.now() + 5 * MINUTE);
      }
      const ends = sent().map(([, end]) => end);
      assert.deepEqual(ends, [...new Set(ends)]);
      assert.ok((ends.at(-1) ?? 0) >= 8, String(ends.at(-1)));
    });
  }

  it("latest value never takes an old record for a fresh one because the service is behind", async () => {
    await start("energy-latest-value", { maxAge: 15 });
    await run();
    service.fault({ dateBy: -2 * HOUR, times: 100 });
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW);
    clock.setSystemTime(NOW + 40 * MINUTE);
    for (let count = 0; count < 3; count += 1) await run();
    for (const { energy } of node.sent<LatestValueMessage>(2)) assert.equal(energy.reason, "stale");
    assert.equal(node.sent(2).length, 3);
  });

  for (const [name, fault] of [
    ["of three days ahead", { dateBy: 72 * HOUR }],
    ["of a cached response", { dateBy: -2 * HOUR }],
    ["with the age of a cached response", { dateBy: -HOUR, age: 3600 }],
    ["of now with an age", { dateBy: 0, age: 3600 }],
  ] as const) {
    it(`changes nothing by one header ${name}`, async () => {
      await startPoll();
      await run();
      for (let count = 1; count < 4; count += 1) {
        clock.setSystemTime(Date.now() + 5 * MINUTE);
        service.fault({ path: /telemetry/, ...fault });
        await run();
        assert.deepEqual(sent().at(-1), ["live", 5 * count - 2]);
        clock.setSystemTime(Date.now() + 5000);
        await run();
      }
      assert.ok(Math.abs(sharedClock.now() - Date.now()) <= 1000);
      assert.doesNotMatch(node.logged(), /The clock is/);
    });
  }

  it("is settled within the run after a sleep, if the service disagrees with the local clock", async () => {
    await startPoll();
    await run();
    clock.restore();
    // The monotonic clock stands still in a sleep; the local clock is set wrong.
    clock = usePassingTime(NOW + 9 * HOUR);
    assert.equal(sharedClock.isSure, false);
    service.fault({ dateBy: 2 * HOUR, times: 100 });
    const before = service.requests.length;
    await run();
    assert.equal(sharedClock.isSure, true);
    assert.equal(Math.round((sharedClock.now() - Date.now()) / MINUTE), 120);
    assert.ok(service.requests.length - before >= 2);
    service.clearFaults();
    await run();
    await run();
    assert.equal(sharedClock.correction, undefined);
  });

  for (const [type, siteId] of [
    ["energy-telemetry-poll", "demo-house"],
    ["energy-latest-value", "demo-house"],
    ["energy-rgm-read", "demo-farm"],
  ] as const)
    it(`says why nothing is fresh while no two responses agree, by ${type}`, async () => {
      await start(type, { siteId });
      for (let hours = 1; hours < 20; hours += 1) service.fault({ dateBy: hours * HOUR });
      await run();
      assert.equal(sharedClock.isSure, false);
      assert.equal(node.statuses().at(-1), "time not confirmed: nothing is fresh");
      service.clearFaults();
      await run();
      assert.doesNotMatch(node.statuses().at(-1) ?? "", /confirmed/);
    });

  it("is not taken from the demo: without a live account, the local clock is trusted", async () => {
    node = await startNode("energy-site-info", { siteId: "demo-house" }, { account: { service: "demo" } });
    assert.equal(sharedClock.isSure, true);
    await run();
    clock.setSystemTime(NOW + HOUR);
    await run();
    assert.equal(sharedClock.isSure, true);
    assert.equal(node.sent().length, 2);
  });
});
