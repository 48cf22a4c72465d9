// Promises of history: the records of any range once and in order, with progress, and a way to go on after a failure.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import helper from "node-red-node-test-helper";
import sinon from "sinon";
import type { HistoryProgress, RecordInfo } from "../../src/messages";
import type { IntervalRecord } from "../../src/models/telemetry";
import { HOUR, MINUTE } from "../../src/records/window";
import { type NodeOptions, type NodeUnderTest, startNode } from "../support/flow";
import { startService, type TestService } from "../support/service";

const NOW = Date.UTC(2026, 10, 10, 10, 7);

type FlowNode = NonNullable<NodeOptions["others"]>[number];

interface Sent {
  payload: IntervalRecord;
  energy: { kind: string } & RecordInfo;
  parts: { id: string; index: number; count?: number; type: string; len: number };
  topic: string;
}

describe("history", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const start = async (
    properties: Record<string, unknown> = {},
    account: Record<string, unknown> = {},
    others: FlowNode[] = [],
  ): Promise<void> => {
    node = await startNode(
      "energy-history",
      { siteId: "demo-house", ...properties },
      { account: { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview", ...account }, others },
    );
  };
  const read = async (payload: object, message: Record<string, unknown> = {}): Promise<Sent[]> => {
    node.input({ payload, ...message });
    await node.completed();
    return node.sent<Sent>();
  };
  const progress = (): HistoryProgress[] =>
    node.sent<{ payload: HistoryProgress }>(2).map(({ payload }) => payload);
  const startsOf = (messages: Sent[]): number[] =>
    messages.map(({ payload }) => Date.parse(payload.startTime));
  const requests = (): Record<string, string>[] => service.requestsTo(/telemetry/).map(({ query }) => query);
  /** Every five minutes in [from, to). */
  const every5 = (from: number, to: number): number[] =>
    Array.from({ length: (to - from) / (5 * MINUTE) }, (_, index) => from + index * 5 * MINUTE);

  /** A range as `remaining` gives it. */
  const asked = ({ startTime, endTime }: typeof DAYS3): typeof DAYS3 => ({
    startTime: new Date(startTime).toISOString(),
    endTime: new Date(endTime).toISOString(),
  });

  const DAYS3 = { startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-04T00:00:00Z" };
  const FIRST = Date.UTC(2026, 10, 1);

  it("sends the records of a range once and in order, in requests of at most 24 hours", async () => {
    await start();
    const messages = await read(DAYS3, { other: "survives" });
    assert.deepEqual(startsOf(messages), every5(FIRST, FIRST + 72 * HOUR));
    assert.equal(requests().length, 3);
    const [first] = messages;
    assert.deepEqual(first?.energy.kind, "history");
    assert.equal(first?.energy.phase, "catchup");
    assert.equal(first?.energy.recordId, "demo-house//telemetry/2026-11-01T00:00:00.000Z");
    assert.equal(first?.topic, "demo-house");
    assert.equal((first as unknown as { other: string }).other, "survives");
  });

  it("keeps the order although a later request is answered first", async () => {
    await start();
    // The newest fault strikes first.
    for (const delayMs of [1, 60, 120]) service.fault({ path: /telemetry/, delayMs });
    assert.deepEqual(startsOf(await read(DAYS3)), every5(FIRST, FIRST + 72 * HOUR));
  });

  it("sends an unaligned record once where a request ends within it", async () => {
    const shift = (text: string): string => new Date(Date.parse(text) + 2 * MINUTE).toISOString();
    service.changeRecords((_site, _system, record) => ({
      ...record,
      startTime: shift(record.startTime),
      endTime: shift(record.endTime),
    }));
    await start();
    const starts = startsOf(await read(DAYS3));
    assert.equal(new Set(starts).size, starts.length);
    assert.equal(starts.length, 3 * 288 + 1);
  });

  it("lets a join node put a run together", async () => {
    await start();
    const messages = await read(DAYS3);
    assert.deepEqual(
      messages.map(({ parts }) => parts.index),
      messages.map((_message, index) => index),
    );
    assert.equal(new Set(messages.map(({ parts }) => parts.id)).size, 1);
    assert.equal(messages.at(-1)?.parts.count, 3 * 288);
    assert.equal(messages[0]?.parts.count, undefined);
  });

  it("gives a core join node the run as one array, once it is complete", async () => {
    const join = { id: "join-node", z: "tab", type: "join", mode: "auto", wires: [["out-1"]] };
    await start({ wires: [["join-node"], ["out-2"]] }, {}, [join]);
    node.input({ payload: DAYS3, parts: { id: "outer", index: 1, count: 2 } });
    const joined = await node.output<{ payload: IntervalRecord[]; parts: object }>();
    assert.deepEqual(
      joined.payload.map(({ startTime }) => Date.parse(startTime)),
      every5(FIRST, FIRST + 72 * HOUR),
    );
    assert.deepEqual(joined.parts, { id: "outer", index: 1, count: 2 });
  });

  it("sends nothing but its progress for a range without records", async () => {
    service.hideRecords(() => true);
    await start();
    assert.deepEqual(await read(DAYS3), []);
    const last = progress().at(-1);
    assert.deepEqual([last?.records, last?.finished], [0, true]);
  });

  it("has no more than four days read or asked for at a time", async () => {
    await start({ output: "batch" }, { concurrency: 8 });
    const hold = service.hold(/telemetry/);
    node.input({ payload: { startTime: "2026-10-22T00:00:00Z", endTime: "2026-11-01T00:00:00Z" } });
    await hold.arrived(4);
    await setTimeout(50);
    assert.equal(requests().length, 4);
    hold.release();
    await node.completed();
    assert.equal(requests().length, 10);
  });

  it("asks for the inverter, and for one system", async () => {
    await start({ siteId: "demo-twin", systemId: "demo-twin-a", includeInverter: true });
    const [first] = await read({ startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-01T01:00:00Z" });
    assert.equal(requests()[0]?.includeInverter, "true");
    assert.ok(first?.payload.inverter);
    assert.equal(first?.topic, "demo-twin/demo-twin-a");
  });

  it("reads local days of the site: a day of 25 hours in two requests", async () => {
    await start();
    const starts = startsOf(await read({ day: "2026-10-25" }));
    const midnight = Date.UTC(2026, 9, 24, 22);
    assert.deepEqual(starts, every5(midnight, midnight + 25 * HOUR));
    assert.equal(requests().length, 2);
  });

  it("tells how far it has come, and that it is finished", async () => {
    await start();
    await read(DAYS3);
    assert.deepEqual(progress()[0], {
      done: 0,
      total: 3,
      records: 0,
      percent: 0,
      finished: false,
      cancelled: false,
    });
    assert.deepEqual(progress().at(-1), {
      done: 3,
      total: 3,
      records: 864,
      percent: 100,
      finished: true,
      cancelled: false,
    });
  });

  it("tells it no more than once a second, with the time left in the status", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({ payload: DAYS3 });
    await hold.arrived(3);
    clock.setSystemTime(NOW + 2000);
    hold.release();
    await node.completed();
    assert.deepEqual(
      progress().map(({ done }) => done),
      [0, 1, 3],
    );
    assert.ok(node.statuses().includes("33 % · 288 records · 4 s left"), node.statuses().join());
    assert.equal(node.statuses().filter((text) => text.endsWith("left")).length, 1);
  });

  it("sends a message a request in batches, and none for a day without records", async () => {
    service.hideRecords((_site, _system, { startTime }) => startTime.startsWith("2026-11-02"));
    await start({ output: "batch" });
    const messages = (await read(DAYS3)) as unknown as {
      payload: IntervalRecord[];
      energy: { records: RecordInfo[] };
    }[];
    assert.deepEqual(
      messages.map(({ payload }) => payload.length),
      [288, 288],
    );
    assert.equal(messages[0]?.energy.records.length, 288);
  });

  it("reads the meter", async () => {
    await start({ source: "rgm", siteId: "demo-farm" });
    const messages = await read({ startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-01T01:00:00Z" });
    assert.equal(messages.length, 12);
    assert.match(messages[0]?.energy.recordId ?? "", /^demo-farm\/\/rgm\//);
  });

  it("leaves out what has not ended yet, and asks for no future", async () => {
    await start();
    const starts = startsOf(
      await read({ startTime: "2026-11-10T09:00:00Z", endTime: "2026-11-14T00:00:00Z" }),
    );
    assert.equal(starts.at(-1), Date.UTC(2026, 10, 10, 10));
    assert.equal(requests().length, 1);
  });

  it("stops when told to, at once and without an error", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({ payload: DAYS3 });
    await hold.arrived(3);
    node.input({ cancel: true });
    await node.completed();
    await node.completed();
    hold.release();
    assert.equal(node.sent(1).length, 0);
    assert.deepEqual(progress().at(-1)?.cancelled, true);
    assert.equal(progress().at(-1)?.finished, false);
    assert.deepEqual(node.caughtSoFar(), []);
  });

  it("cancels what waits as well, and says so for each run", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({ payload: DAYS3 });
    node.input({ payload: DAYS3 });
    await hold.arrived(3);
    node.input({ cancel: true });
    for (let count = 0; count < 3; count += 1) await node.completed();
    hold.release();
    assert.equal(progress().filter(({ cancelled }) => cancelled).length, 2);
    assert.equal(service.requestsTo(/telemetry/).length, 3);
  });

  it("does not wait for the site list when told to stop", async () => {
    await start();
    const hold = service.hold(/sites$/);
    node.input({ payload: DAYS3 });
    await hold.arrived();
    node.input({ cancel: true });
    await node.completed();
    await node.completed();
    hold.release();
    assert.equal(progress().at(-1)?.cancelled, true);
    assert.equal(node.statuses().at(-1), "cancelled");
  });

  it("is done with a cancel that finds nothing to stop, and runs the message after it", async () => {
    await start();
    node.input({ cancel: true });
    await node.completed();
    assert.equal(node.sent(2).length, 0);
    assert.equal((await read({ day: "2026-11-01" })).length, 288);
  });

  it("sends nothing more once it is closed", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({ payload: DAYS3 });
    await hold.arrived(3);
    const closedAt = performance.now();
    await node.redeploy({ name: "changed" });
    assert.ok(performance.now() - closedAt < 1000, "the close waited for the service");
    hold.release();
    await setTimeout(50);
    assert.equal(node.sent(1).length, 0);
    assert.equal(progress().length, 1);
    assert.deepEqual(node.caughtSoFar(), []);
  });

  it("tells each node what remains for it, where both fail for the same reason", async () => {
    const other = {
      id: "other",
      z: "tab",
      type: "energy-history",
      account: "the-account",
      siteId: "demo-farm",
    };
    service.fault({ path: /auth/, status: 500, body: {} });
    const hold = service.hold(/auth/);
    await start({}, {}, [{ ...other, wires: [[], ["out-2"]] }]);
    const range2 = { ...DAYS3, endTime: "2026-11-03T00:00:00Z" };
    node.input({ payload: DAYS3 });
    helper.getNode("other").receive({ payload: range2 });
    await hold.arrived();
    while (progress().length < 2) await setTimeout(5);
    hold.release();
    const failures = [await node.caught<{ payload: unknown }>(), await node.caught<{ payload: unknown }>()];
    assert.equal(service.requestsTo(/auth/).length, 1);
    assert.equal(failures.length, 2);
    for (const { payload, energy } of failures) {
      assert.equal(energy.error.code, "ENERGY_HTTP");
      assert.deepEqual(energy.error.remaining, asked(payload as typeof DAYS3));
    }
  });

  it("tells what remains after a failure, in a form that can be sent in again", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({ payload: { startTime: "2026-10-26T00:00:00Z", endTime: "2026-11-02T00:00:00Z" } });
    await hold.arrived(4);
    service.fault({ path: /telemetry/, status: 500, times: 1 });
    hold.release();
    const { energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_HTTP");
    const before = startsOf(node.sent<Sent>());
    assert.ok(before.length > 0);
    assert.ok(energy.error.remaining);
    await read(energy.error.remaining);
    assert.deepEqual(startsOf(node.sent<Sent>()), every5(Date.UTC(2026, 9, 26), Date.UTC(2026, 10, 2)));
  });

  for (const [name, payload, code] of [
    ["no range", "go", "ENERGY_INPUT"],
    ["null", null, "ENERGY_INPUT"],
    ["both forms", { day: "2026-11-01", startTime: "2026-11-01T00:00:00Z" }, "ENERGY_INPUT"],
    ["a time without an offset", { ...DAYS3, startTime: "2026-11-01T00:00:00" }, "ENERGY_INPUT"],
    ["no end", { startTime: DAYS3.startTime }, "ENERGY_INPUT"],
    ["a day that does not exist", { day: "2026-02-30" }, "ENERGY_INPUT"],
    ["half a day", { day: "2026-11-01", days: 0.5 }, "ENERGY_INPUT"],
    ["no day at all", { day: "2026-11-01", days: 0 }, "ENERGY_INPUT"],
    ["an end before the start", { startTime: DAYS3.endTime, endTime: DAYS3.startTime }, "ENERGY_RANGE"],
    [
      "a start in the future",
      { startTime: "2026-11-11T00:00:00Z", endTime: "2026-11-12T00:00:00Z" },
      "ENERGY_RANGE",
    ],
    ["a day in the future", { day: "2026-12-24" }, "ENERGY_RANGE"],
    [
      "more than ten years",
      { startTime: "2010-01-01T00:00:00Z", endTime: "2026-01-01T00:00:00Z" },
      "ENERGY_RANGE",
    ],
  ] as const) {
    it(`refuses ${name} as ${code}`, async () => {
      await start();
      node.input({ payload });
      const { error } = await node.caught();
      assert.equal(error.code, code);
      assert.equal(service.requestsTo(/telemetry/).length, 0);
      assert.equal(node.sent(1).length + node.sent(2).length, 0);
    });
  }

  it("refuses days of a site whose time zone is not known", async () => {
    const site = { siteId: "demo-house", timezone: "Mars/Base", systems: [] };
    service.fault({ path: /demo-house$/, body: site });
    await start();
    node.input({ payload: { day: "2026-11-01" } });
    const { error, energy } = await node.caught();
    assert.equal(error.code, "ENERGY_INPUT");
    assert.match(error.message, /Mars\/Base.*startTime/);
    assert.equal(energy.error.remaining, undefined);
  });

  it("refuses every site or system at once, and names the systems to choose from", async () => {
    await start({ siteId: "demo-twin", systemId: "*" });
    node.input({ payload: DAYS3 });
    assert.equal((await node.caught()).error.code, "ENERGY_INPUT");
    await node.redeploy({ systemId: "" });
    node.input({ payload: DAYS3 });
    assert.match((await node.caught()).error.message, /demo-twin-a, demo-twin-b/);
  });
});
