// Tests for history: the records of any range once and in order, in requests of at most 24 hours, for a join node.
import assert from "node:assert/strict";
import type { RecordInfo } from "../../../src/messages/messages";
import type { IntervalRecord } from "../../../src/models/telemetry";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import {
  THREE_DAYS,
  everyFiveMinutes,
  FIRST,
  HistoryReading,
  NOW,
  type SentRecord,
  startsOf,
} from "../../support/history-reading";

describe("history", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  it("sends the records of a range once and in order, in requests of at most 24 hours", async () => {
    await history.start();
    const messages = await history.read(THREE_DAYS, { other: "survives" });
    assert.deepEqual(startsOf(messages), everyFiveMinutes(FIRST, FIRST + 72 * HOUR));
    assert.equal(history.queries().length, 3);
    const [first] = messages;
    assert.deepEqual(first?.energy.kind, "history");
    assert.equal(first?.energy.phase, "catchup");
    assert.equal(first?.energy.recordId, "demo-house/demo-house-1/telemetry/2026-11-01T00:00:00.000Z");
    assert.equal(first?.topic, "demo-house/demo-house-1");
    assert.equal((first as unknown as { other: string }).other, "survives");
  });

  it("names the site and its system in all that it sends, from the first progress on", async () => {
    await history.start();
    await history.read(THREE_DAYS);
    const all = [...history.node.sent<SentRecord>(), ...history.node.sent<SentRecord>(2)];
    assert.deepEqual([...new Set(all.map(({ topic }) => topic))], ["demo-house/demo-house-1"]);
    assert.deepEqual([...new Set(all.map(({ energy }) => energy.siteName))], ["Demo house"]);
  });

  it("keeps the order even if a later response arrives first", async () => {
    await history.start();
    const days = everyFiveMinutes(FIRST, FIRST + 72 * HOUR).filter(
      (time) => (time - FIRST) % (24 * HOUR) === 0,
    );
    const starts = days.map((day) => new Date(day).toISOString());
    const holds = starts.map((start) =>
      history.service.hold(/telemetry/, ({ query }) => query["startTime"] === start),
    );
    history.node.input({ payload: THREE_DAYS });
    for (const [index, hold] of holds.toReversed().entries()) {
      await hold.arrived();
      hold.release();
      await history.service.answered.reach(/telemetry/, index + 1);
    }
    await history.node.completed();
    const answered = history.service.answered.to(/telemetry/);
    assert.deepEqual(
      answered.map(({ query }) => query["startTime"]),
      starts.toReversed(),
    );
    assert.deepEqual(startsOf(history.node.sent<SentRecord>()), everyFiveMinutes(FIRST, FIRST + 72 * HOUR));
  });

  it("sends an unaligned record once when a request ends within it", async () => {
    const shift = (text: string): string => new Date(Date.parse(text) + 2 * MINUTE).toISOString();
    history.service.changeRecords((_site, _system, record) => ({
      ...record,
      startTime: shift(record.startTime),
      endTime: shift(record.endTime),
    }));
    await history.start();
    const starts = startsOf(await history.read(THREE_DAYS));
    assert.equal(new Set(starts).size, starts.length);
    assert.equal(starts.length, 3 * 288 + 1);
  });

  it("sets msg.parts so that a join node can combine a run", async () => {
    await history.start();
    const messages = await history.read(THREE_DAYS);
    assert.deepEqual(
      messages.map(({ parts }) => parts.index),
      messages.map((_message, index) => index),
    );
    assert.equal(new Set(messages.map(({ parts }) => parts.id)).size, 1);
    assert.equal(messages.at(-1)?.parts.count, 3 * 288);
    assert.equal(messages[0]?.parts.count, undefined);
  });

  it("lets a core join node combine the run into one array once it is complete", async () => {
    const join = { id: "join-node", z: "tab", type: "join", mode: "auto", wires: [["out-1"]] };
    await history.start({ wires: [["join-node"], ["out-2"]] }, { others: [join] });
    history.node.input({ payload: THREE_DAYS, parts: { id: "outer", index: 1, count: 2 } });
    const joined = await history.node.output<{ payload: IntervalRecord[]; parts: object }>();
    assert.deepEqual(
      joined.payload.map(({ startTime }) => Date.parse(startTime)),
      everyFiveMinutes(FIRST, FIRST + 72 * HOUR),
    );
    assert.deepEqual(joined.parts, { id: "outer", index: 1, count: 2 });
  });

  it("never reads ahead more than four days at a time", async () => {
    await history.start({ output: "batch" }, { account: { concurrency: 8 } });
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: { startTime: "2026-10-22T00:00:00Z", endTime: "2026-11-01T00:00:00Z" } });
    await hold.arrived(4);
    await history.service.idle();
    assert.equal(history.queries().length, 4);
    hold.release();
    await history.node.completed();
    assert.equal(history.queries().length, 10);
  });

  it("requests the inverter group, and a single system", async () => {
    await history.start({ siteId: "demo-twin", systemId: "demo-twin-a", includeInverter: true });
    const [first] = await history.read({
      startTime: "2026-11-01T00:00:00Z",
      endTime: "2026-11-01T01:00:00Z",
    });
    assert.equal(history.queries()[0]?.includeInverter, "true");
    assert.ok(first?.payload.inverter);
    assert.equal(first?.topic, "demo-twin/demo-twin-a");
  });

  it("reads local days of the site: a day of 25 hours in two requests", async () => {
    await history.start();
    const starts = startsOf(await history.read({ day: "2026-10-25" }));
    const midnight = Date.UTC(2026, 9, 24, 22);
    assert.deepEqual(starts, everyFiveMinutes(midnight, midnight + 25 * HOUR));
    assert.equal(history.queries().length, 2);
  });

  it("sends one message per request in batch mode, and none for a day without records", async () => {
    history.service.hideRecords((_site, _system, { startTime }) => startTime.startsWith("2026-11-02"));
    await history.start({ output: "batch" });
    const messages = (await history.read(THREE_DAYS)) as unknown as {
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
    await history.start({ source: "rgm", siteId: "demo-farm" });
    const messages = await history.read({
      startTime: "2026-11-01T00:00:00Z",
      endTime: "2026-11-01T01:00:00Z",
    });
    assert.equal(messages.length, 12);
    assert.match(messages[0]?.energy.recordId ?? "", /^demo-farm\/demo-farm-1\/rgm\//);
  });

  it("omits records that have not ended, and requests nothing in the future", async () => {
    await history.start();
    const starts = startsOf(
      await history.read({ startTime: "2026-11-10T09:00:00Z", endTime: "2026-11-14T00:00:00Z" }),
    );
    assert.equal(starts.at(-1), Date.UTC(2026, 10, 10, 10));
    assert.equal(history.queries().length, 1);
  });
});

describe("history after a start with a clock that is two days behind", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open(2 * DAY);
    await history.start();
  });
  afterEach(() => history.close());

  for (const [name, from, days] of [
    ["a range that the local clock takes for the future", NOW + DAY, 1],
    ["a range that the local clock takes for half over", NOW - DAY, 3],
  ] as const)
    it(`reads ${name}`, async () => {
      const [startTime, endTime] = [from, NOW + 2 * DAY].map((time) => new Date(time).toISOString());
      history.node.input({ payload: { startTime, endTime } });
      await Promise.race([history.node.completed(), history.node.caught()]);
      const starts = startsOf(history.node.sent());
      assert.deepEqual([starts.length, history.progress().at(-1)?.finished], [days * 288, true]);
    });

  it("refuses a range in the future", async () => {
    const [startTime, endTime] = [NOW + 3 * DAY, NOW + 4 * DAY].map((time) => new Date(time).toISOString());
    history.node.input({ payload: { startTime, endTime } });
    assert.equal((await history.node.caught()).energy.error.code, "ENERGY_RANGE");
    assert.equal(history.node.sent(2).length, 0);
  });

  it("says what remains if the service refuses everything", async () => {
    history.service.fault({ path: /sites/, status: 400, times: Infinity });
    const [startTime, endTime] = [NOW + DAY, NOW + 2 * DAY].map((time) => new Date(time).toISOString());
    history.node.input({ payload: { startTime, endTime } });
    const { energy } = await history.node.caught();
    assert.deepEqual([energy.error.code, energy.error.remaining], ["ENERGY_HTTP", { startTime, endTime }]);
  });
});
