// Property tests for confirmed delivery: unconfirmed records are resent despite crashes, and no stored position runs ahead.
import assert from "node:assert/strict";
import fc from "fast-check";
import sinon from "sinon";
import { HOUR, MINUTE } from "../../src/time-units";
import type { PollRule } from "../../src/polling/ports";
import { casesOf } from "../support/fuzz";
import { type ModelRecord, ModelSeries } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
const confirm = { timeoutMs: 60_000, maxUnconfirmed: 4 };
const rule: PollRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
  confirm,
};

const stepsOf = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 30 }),
    /** Which of the unconfirmed messages are confirmed. */
    confirmed: fc.array(fc.boolean(), { maxLength: 4 }),
    isCrash: fc.boolean(),
  }),
  { minLength: 3, maxLength: 20 },
);

const records: ModelRecord[] = Array.from({ length: 60 }, (_, index) => {
  const start = noon + index * 5 * MINUTE;
  return { start, end: start + 5 * MINUTE, published: start + 5 * MINUTE };
});

describe("confirmed delivery with random events", () => {
  let timers: sinon.SinonFakeTimers;
  let now = noon;
  let series: ModelSeries;
  /** The start times of confirmed records. */
  let arrived: Set<number>;
  let confirmedIds: Set<string>;

  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    series.poller.delivery?.stop();
    timers.restore();
  });

  /** Everything from noon on is still to be delivered. */
  async function start(): Promise<void> {
    now = noon;
    arrived = new Set();
    confirmedIds = new Set();
    series = new ModelSeries({
      records,
      rule,
      clock: { now: () => now, monotonic: () => now, isSure: true },
    });
    await run();
  }

  /** A scheduled run; if it pauses, nothing is confirmed until it gives up. */
  async function run(): Promise<void> {
    const over = new AbortController();
    const running = series.run(false).finally(() => over.abort());
    // It may fail while time passes.
    running.catch(() => undefined);
    while (!over.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      // Also resends unconfirmed records.
      timers.tick(confirm.timeoutMs);
    }
    await running;
  }

  function confirmSome(which: (index: number) => boolean): void {
    const waiting = new Map(series.sent.map(({ due, deliveryId = "" }) => [deliveryId, due]));
    const open = [...waiting].filter(([deliveryId]) => !confirmedIds.has(deliveryId));
    for (const [index, [deliveryId, due]] of open.entries()) {
      if (!which(index) || !series.poller.delivery?.confirm(deliveryId)) continue;
      confirmedIds.add(deliveryId);
      arrived.add(due.start);
    }
  }

  /** Everything that ended before the position from which a restart would continue. */
  function storedAsDelivered(): number[] {
    const { cursor = "" } = JSON.parse(series.stored ?? "{}") as { cursor?: string };
    return records.filter(({ end }) => end <= Date.parse(cursor)).map(({ start }) => start);
  }

  it("stores no position beyond the confirmed records, and everything is confirmed in the end", async () => {
    await fc.assert(
      fc.asyncProperty(stepsOf, async (steps) => {
        await start();
        for (const { minutes, confirmed, isCrash } of steps) {
          now += minutes * MINUTE;
          await run();
          confirmSome((index) => confirmed[index] === true);
          assert.ok(storedAsDelivered().every((record) => arrived.has(record)));
          if (isCrash) series.restart();
        }
        const due = records.filter(({ end }) => end <= now);
        for (let round = 0; arrived.size < due.length && round < records.length; round += 1) {
          await run();
          confirmSome(() => true);
        }
        assert.deepEqual(
          [...arrived].toSorted(),
          due.map((record) => record.start),
        );
        series.poller.delivery?.stop();
      }),
      { numRuns: casesOf(8) },
    );
  });

  it("loses nothing, and is not blocked, when a message cannot be sent", async () => {
    await start();
    now = noon + HOUR;
    series.isFlowBroken = true;
    await assert.rejects(run(), /cannot be copied/);
    series.isFlowBroken = false;
    for (let round = 0; round < 12; round += 1) {
      await run();
      confirmSome(() => true);
    }
    assert.deepEqual(
      [...arrived].toSorted(),
      records.filter(({ end }) => end <= now).map((record) => record.start),
    );
  });

  it("never has more than maxUnconfirmed records in flight", async () => {
    await start();
    now = noon + 3 * HOUR;
    await run();
    assert.equal(series.poller.unconfirmed, confirm.maxUnconfirmed);
    assert.equal(new Set(series.sent.map(({ deliveryId }) => deliveryId)).size, confirm.maxUnconfirmed);
  });
});
