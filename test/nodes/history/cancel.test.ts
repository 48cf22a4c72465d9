// Tests for stopping history: it stops immediately, says so, and sends nothing more.
import assert from "node:assert/strict";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { HOUR, MINUTE } from "../../../src/time-units";
import {
  THREE_DAYS,
  everyFiveMinutes,
  FIRST,
  HistoryReading,
  type SentRecord,
  startsOf,
} from "../../support/history-reading";

describe("history: cancel and close", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  /** Reads the hour before those days, so that everything sent earlier has arrived. Returns all records. */
  const readHourBefore = async (): Promise<number[]> => {
    await history.read({ startTime: "2026-10-31T23:00:00Z", endTime: THREE_DAYS.startTime });
    return startsOf(history.node.sent<SentRecord>());
  };
  const HOUR_BEFORE = everyFiveMinutes(FIRST - HOUR, FIRST);

  it("stops immediately on cancel, without an error", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: THREE_DAYS });
    await hold.arrived(3);
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    await history.service.abandoned.reach(/telemetry/, 3);
    hold.release();
    const { cancelled, finished, records } = history.progress().at(-1) ?? {};
    assert.deepEqual({ cancelled, finished, records }, { cancelled: true, finished: false, records: 0 });
    assert.deepEqual(await readHourBefore(), HOUR_BEFORE);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });

  it("stops while sending, and sends nothing else from the responses", async () => {
    await history.start();
    const first = history.service.hold(
      /telemetry/,
      ({ query }) => Date.parse(query["startTime"] ?? "") === FIRST,
    );
    history.node.input({ payload: THREE_DAYS });
    await history.service.answered.reach(/telemetry/, 2);
    await eventLoopTurn();
    first.release();
    await history.node.output();
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    const { cancelled, finished, done, records } = history.progress().at(-1) ?? {};
    assert.deepEqual({ cancelled, finished, done }, { cancelled: true, finished: false, done: 0 });
    // A long range is sent in portions.
    assert.equal(records, 50);
    const sent = everyFiveMinutes(FIRST, FIRST + 50 * 5 * MINUTE);
    assert.deepEqual(await readHourBefore(), [...sent, ...HOUR_BEFORE]);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });

  it("reports cancelled, not finished, when cancelled while sending the last response", async () => {
    await history.start();
    history.node.input({ payload: { ...THREE_DAYS, endTime: "2026-11-01T01:00:00Z" } });
    await history.node.output();
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    const { cancelled, finished, records } = history.progress().at(-1) ?? {};
    assert.deepEqual({ cancelled, finished, records }, { cancelled: true, finished: false, records: 12 });
    const parts = history.node.sent<SentRecord>().map((message) => message.parts);
    assert.deepEqual([parts.length, parts.at(-1)?.count], [12, undefined]);
  });

  it("also cancels waiting runs, and reports each of them", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: THREE_DAYS });
    history.node.input({ payload: THREE_DAYS });
    await hold.arrived(3);
    history.node.input({ cancel: true });
    for (let count = 0; count < 3; count += 1) await history.node.completed();
    hold.release();
    const cancelled = history.progress().filter((one) => one.cancelled);
    const left = cancelled.map(({ remaining }) => remaining && Date.parse(remaining.startTime));
    assert.deepEqual(left, [FIRST, FIRST]);
    assert.equal(history.service.requestsTo(/telemetry/).length, 3);
  });

  for (const [payload, remaining] of [
    [THREE_DAYS, THREE_DAYS],
    [{ day: "2026-11-01" }, undefined],
  ])
    it(`does not wait for the site list when cancelled, and says what remains of ${JSON.stringify(payload)}`, async () => {
      await history.start();
      const hold = history.service.hold(/sites$/);
      history.node.input({ payload });
      await hold.arrived();
      history.node.input({ cancel: true });
      await history.node.completed();
      await history.node.completed();
      hold.release();
      const last = history.progress().at(-1);
      assert.deepEqual([last?.cancelled, last?.remaining], [true, remaining]);
      assert.equal(history.node.sent<SentRecord>(2).at(-1)?.topic, "demo-house");
      assert.equal(history.node.statuses().at(-1), "cancelled");
    });

  it("stops a run that no message triggered", async () => {
    const hold = history.service.hold(/telemetry/);
    await history.start({ range: "lastMonth", onDeploy: true });
    await hold.arrived(1);
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.service.abandoned.reach(/telemetry/, 1);
    hold.release();
    assert.equal(history.progress().at(-1)?.cancelled, true);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });

  it("ignores a cancel if nothing is running, and runs the next message", async () => {
    await history.start();
    history.node.input({ cancel: true });
    await history.node.completed();
    assert.equal(history.node.sent(2).length, 0);
    assert.equal((await history.read({ day: "2026-11-01" })).length, 288);
  });

  it("sends nothing after it is closed", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: THREE_DAYS });
    await hold.arrived(3);
    await history.node.redeploy();
    await history.service.abandoned.reach(/telemetry/, 3);
    hold.release();
    assert.equal(history.progress().length, 1);
    assert.deepEqual(await readHourBefore(), HOUR_BEFORE);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });
});
