// Property tests for a ledger that travels: any worker may be killed at any time, and any ledger that reached the broker may come back.
import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_LEDGER_CHARACTERS } from "../../src/limits";
import type { PollRule } from "../../src/polling/ports";
import { HOUR, MINUTE } from "../../src/time-units";
import { casesOf } from "../support/fuzz";
import { type ModelRecord, ModelSeries } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
const rule: PollRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
};

const delaysOf = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 300 }) },
    { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
  ),
  { minLength: 10, maxLength: 100 },
);

const jobsOf = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 60 }),
    /** After how many turns of the event loop the worker is killed. */
    turns: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 6 })),
    /** Which part of the messages of a killed worker reach the broker. */
    delivered: fc.double({ min: 0, max: 1, noNaN: true }),
    /** How many ledgers back the one is that the next worker gets: two may have had the same job. */
    back: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
    ),
  }),
  { minLength: 3, maxLength: 25 },
);

const ruleOf = fc.record({ isBatch: fc.boolean(), lookBack: fc.constantFrom(0, 30 * MINUTE) });

describe("a ledger that travels", () => {
  let now = noon;
  const clock = { now: () => now, monotonic: () => now, isSure: true };

  it("loses no record, whichever worker is killed and whichever ledger comes back", async () => {
    await fc.assert(
      fc.asyncProperty(delaysOf, jobsOf, ruleOf, async (delays, jobs, drawnRule) => {
        now = noon;
        const records = delays.map((delay, index): ModelRecord => {
          const end = noon + (index + 1) * 5 * MINUTE;
          return { start: end - 5 * MINUTE, end, published: end + delay * MINUTE };
        });
        const series = new ModelSeries({ records, rule: { ...rule, ...drawnRule }, clock, isCarried: true });
        await series.run();
        const ledgers = [series.stored];
        for (const { minutes, turns, delivered, back } of jobs) {
          now += minutes * MINUTE;
          series.delivered = ({ length }) => Math.floor(delivered * length);
          series.stored = ledgers.at(-1 - Math.min(back, ledgers.length - 1));
          await series.run(true, turns).catch(() => undefined);
          ledgers.push(series.stored);
        }
        now = Math.max(now, noon + 15 * HOUR);
        await series.run();
        await series.run();
        const published = records.filter((record) => record.published <= now);
        const sent = new Set(series.sent.map(({ due }) => due.start));
        assert.deepEqual(
          [...sent].toSorted((a, b) => a - b),
          published.map(({ start }) => start),
        );
        assert.ok((series.stored ?? "").length < MAX_LEDGER_CHARACTERS);
      }),
      { numRuns: casesOf(12) },
    );
  });
});
