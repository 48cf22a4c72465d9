// Property test of the promise over every node that reads: nothing lost untold, nothing invented, nothing twice, in order, all in the end.
import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY, HOUR, isInWindow, MINUTE, type TimeWindow } from "../../src/time-units";
import { casesOf } from "../support/fuzz";
import { judge, ModelService, type Read, type Trouble } from "./model-service";

const NOW = Date.UTC(2026, 5, 11, 9, 17);
const RANGE = { start: NOW - 5 * DAY, end: NOW };
const HOURS = 5 * 24;

/** Records one after the other, with breaks between some of them. */
const recordsOf = fc
  .array(
    fc.record({
      length: fc.constantFrom(1, 5, 5, 5, 7, 15, 30, 60),
      count: fc.integer({ min: 1, max: 300 }),
      silence: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 * 60 })),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((stretches) => {
    const records: TimeWindow[] = [];
    let time = RANGE.start - 2 * HOUR;
    for (const { length, count, silence } of stretches) {
      for (let number = 0; number < count && time < NOW + DAY; number += 1) {
        records.push({ start: time, end: time + length * MINUTE });
        time += length * MINUTE;
      }
      time += silence * MINUTE;
    }
    return records;
  });

const troubleOf: fc.Arbitrary<Trouble> = fc.record({
  limit: fc.constantFrom(undefined, undefined, 12, 100, 288),
  longest: fc.constantFrom(undefined, undefined, HOUR, 6 * HOUR, 12 * HOUR),
  poison: fc.array(
    fc
      .record({
        from: fc.integer({ min: 0, max: HOURS * 60 }),
        length: fc.constantFrom(1, 5, 30, 60, 8 * 60, 30 * 60),
      })
      .map(({ from, length }) => {
        const start = RANGE.start + from * MINUTE;
        // The present is answered, or else everything fails.
        return { start, end: Math.min(start + length * MINUTE, NOW - HOUR) };
      })
      .filter(({ start, end }) => start < end),
    { maxLength: 3 },
  ),
  keptFrom: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: HOURS - 12 }).map((hours) => RANGE.start + hours * HOUR),
    },
  ),
  status: fc.constantFrom<Trouble["status"]>(400, 404, 500, 504, "errors"),
});

const NODES: readonly [name: string, read: (service: ModelService) => Promise<Read>][] = [
  ["history", (service) => service.history(RANGE)],
  // An answer that was cut within the last hour is continued by the next run: five times twelve minutes are an hour.
  ["telemetry poll, in one life", (service) => service.lives(RANGE.start, Array<number>(6).fill(NOW))],
  [
    "telemetry poll, in many lives",
    (service) => {
      service.now = RANGE.start;
      // A life to which the service refuses the whole site leaves nothing behind.
      if (service.trouble.status === 404) service.trouble = { ...service.trouble, status: 400 };
      const times = Array.from({ length: 13 }, (_none, index) => RANGE.start + index * 10 * HOUR);
      return service.lives(RANGE.start, [
        ...times.filter((time) => time < NOW),
        ...Array<number>(6).fill(NOW),
      ]);
    },
  ],
];

function isSorted(times: readonly number[]): boolean {
  return times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0));
}

describe("the promise of every node that reads", () => {
  // Shrinking a counterexample takes long.

  for (const [name, read] of NODES)
    it(`is kept by ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(recordsOf, troubleOf, async (records, trouble) => {
          const service = new ModelService(records, NOW);
          service.trouble = trouble;
          const first = await read(service);
          judge(service, first, RANGE);
          const isOrdered = name.startsWith("telemetry") || isSorted(first.sent.map(({ start }) => start));
          assert.ok(isOrdered, "not in order");
          // What is told to be missing is not far from what fails.
          const { poison = [], keptFrom = 0 } = trouble;
          const failing = [...poison, { start: 0, end: keptFrom }];
          assert.ok(
            first.missing.every((window) => failing.some((one) => isInWindow(one, window))),
            "told without a reason",
          );
        }),
        { numRuns: casesOf(5) },
      );
    });

  it("is kept by history in several runs: each reads what the last one has left", async () => {
    await fc.assert(
      fc.asyncProperty(recordsOf, troubleOf, async (records, trouble) => {
        const service = new ModelService(records, NOW);
        service.trouble = trouble;
        const { run, sent } = await service.history(RANGE);
        const all = [...sent];
        service.trouble = {};
        const { windows, ...span } = run.remaining() ?? { windows: [], startTime: "", endTime: "" };
        for (const { startTime, endTime } of windows ?? [span])
          all.push(
            ...(await service.history({ start: Date.parse(startTime), end: Date.parse(endTime) })).sent,
          );
        // A record at the edge of what is missing belongs to both.
        const unique = [...new Map(all.map((one) => [one.start, one])).values()];
        judge(service, { sent: unique, missing: [] }, RANGE);
      }),
      { numRuns: casesOf(5) },
    );
  });

  it("is kept by latest value: the newest record that there is", async () => {
    await fc.assert(
      fc.asyncProperty(recordsOf, troubleOf, async (records, trouble) => {
        const service = new ModelService(records, NOW);
        // All of the last quarter of an hour fits into an answer.
        service.trouble = { ...trouble, limit: trouble.limit && 100, poison: [], keptFrom: undefined };
        const newest = records.findLast(({ start, end }) => start <= NOW && end > NOW - DAY);
        assert.equal((await service.newest())?.start, newest?.start);
      }),
      { numRuns: casesOf(5) },
    );
  });
});
