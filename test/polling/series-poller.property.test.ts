// Property tests for polling with late data, gaps, failures and crashes: no record is lost, or repeated without a crash.
import assert from "node:assert/strict";
import fc from "fast-check";
import { AbortedError, StoreError } from "../../src/errors";
import { HOUR, MINUTE } from "../../src/time-units";
import type { PollRule } from "../../src/polling/ports";
import { casesOf } from "../support/fuzz";
import { type ModelRecord, ModelSeries, NO_ANSWER } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
const rule: PollRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
};

/** Consecutive intervals of 1 to 9 minutes, some published late, some never. */
const seriesOf = fc.array(
  fc.record({
    length: fc.integer({ min: 1, max: 9 }),
    delay: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 300 }) },
      { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    ),
  }),
  { minLength: 5, maxLength: 60 },
);

const ruleOf = fc.record({ isBatch: fc.boolean(), lookBack: fc.constantFrom(0, 30 * MINUTE) });

/** What happens between polls. */
const stepsOf = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 40 }),
    event: fc.oneof(
      { weight: 6, arbitrary: fc.constant("poll" as const) },
      { weight: 1, arbitrary: fc.constant("fail" as const) },
      { weight: 1, arbitrary: fc.constant("restart" as const) },
      { weight: 1, arbitrary: fc.constant("clock" as const) },
    ),
  }),
  { minLength: 3, maxLength: 25 },
);

function recordsOf(series: { length: number; delay: number }[]): ModelRecord[] {
  let start = noon;
  return series.map(({ length, delay }) => {
    const record = { start, end: start + length * MINUTE, published: start + (length + delay) * MINUTE };
    start = record.end;
    return record;
  });
}

for (const isCarried of [false, true]) {
  describe(isCarried ? "workers that poll in turn" : "polling with random events", () => {
    let now = noon;
    const clock = { now: () => now, monotonic: () => now, isSure: true };

    const startsOf = (series: ModelSeries): number[] => series.sent.map(({ due }) => due.start);
    const publishedStarts = (records: ModelRecord[]): number[] =>
      records.filter(({ published }) => published <= now).map(({ start }) => start);

    /** Plays the steps, then runs an hour of undisturbed polls. */
    async function play(series: ModelSeries, steps: { minutes: number; event: string }[]): Promise<void> {
      now = noon;
      await series.run();
      for (const { minutes, event } of steps) {
        now += minutes * MINUTE;
        if (event === "restart") series.restart();
        if (event === "fail") series.failingReads.add(series.requests + 1);
        await series.run(event !== "clock").catch((error: unknown) => assert.equal(error, NO_ANSWER));
      }
      now = Math.max(now, noon + 15 * HOUR);
      await series.run();
      await series.run();
    }

    it("delivers every published record exactly once despite late data, failures and restarts", async () => {
      await fc.assert(
        fc.asyncProperty(seriesOf, stepsOf, ruleOf, async (drawn, steps, drawnRule) => {
          const records = recordsOf(drawn);
          const series = new ModelSeries({ records, rule: { ...rule, ...drawnRule }, clock, isCarried });
          await play(series, steps);
          assert.deepEqual(startsOf(series).toSorted(), publishedStarts(records));
        }),
        { numRuns: casesOf(12) },
      );
    });

    it("keeps records in order, separately for late ones in each run", async () => {
      await fc.assert(
        fc.asyncProperty(seriesOf, stepsOf, async (drawn, steps) => {
          const records = recordsOf(drawn);
          const series = new ModelSeries({ records, rule, clock, isCarried });
          await play(series, steps);
          const timely = series.sent.filter(({ due }) => due.phase !== "late").map(({ due }) => due.start);
          assert.deepEqual(timely, timely.toSorted());
        }),
        { numRuns: casesOf(12) },
      );
    });

    it("repeats records after a crash with the same ids, but loses none", async () => {
      await fc.assert(
        fc.asyncProperty(
          seriesOf,
          stepsOf,
          fc.integer({ min: 0, max: 20 }),
          async (drawn, steps, lastSave) => {
            const records = recordsOf(drawn);
            const series = new ModelSeries({ records, rule, clock, isCarried });
            series.isSaving = true;
            const crashing = steps.map((step, index) => ({
              ...step,
              event: index === lastSave ? "restart" : step.event,
            }));
            now = noon;
            await series.run();
            for (const [index, { minutes, event }] of crashing.entries()) {
              now += minutes * MINUTE;
              // From here until the restart, nothing reaches the disk.
              if (index === lastSave - 2) series.isSaving = false;
              if (event === "restart") {
                series.isSaving = true;
                series.restart();
              }
              await series.run(event !== "clock");
            }
            series.isSaving = true;
            series.restart();
            now = Math.max(now, noon + 15 * HOUR);
            await series.run();
            await series.run();
            assert.deepEqual([...new Set(startsOf(series))].toSorted(), publishedStarts(records));
            const ids = new Map(series.sent.map(({ due, recordId }) => [due.start, recordId]));
            assert.ok(series.sent.every(({ due, recordId }) => ids.get(due.start) === recordId));
          },
        ),
        { numRuns: casesOf(12) },
      );
    });

    it("loses no record when its node is closed in the middle of runs, or the disk is full", async () => {
      const disturbancesOf = fc.array(
        fc.record({
          minutes: fc.integer({ min: 1, max: 40 }),
          /** After how many turns of the event loop the run is aborted. */
          turns: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 6 })),
          isStoreBroken: fc.boolean(),
        }),
        { minLength: 3, maxLength: 20 },
      );
      await fc.assert(
        fc.asyncProperty(seriesOf, disturbancesOf, ruleOf, async (drawn, disturbances, drawnRule) => {
          const records = recordsOf(drawn);
          const series = new ModelSeries({ records, rule: { ...rule, ...drawnRule }, clock, isCarried });
          now = noon;
          await series.run();
          for (const { minutes, turns, isStoreBroken } of disturbances) {
            now += minutes * MINUTE;
            series.isStoreBroken = isStoreBroken;
            const failure = await series.run(true, turns).catch((error: unknown) => error);
            const expected = isStoreBroken ? [AbortedError, StoreError] : [AbortedError];
            assert.ok(failure === undefined || expected.some((type) => failure instanceof type));
            if (failure instanceof AbortedError) series.restart();
          }
          series.isStoreBroken = false;
          now = Math.max(now, noon + 15 * HOUR);
          await series.run();
          await series.run();
          assert.deepEqual([...new Set(startsOf(series))].toSorted(), publishedStarts(records));
        }),
        { numRuns: casesOf(8) },
      );
    });
  });
}
