// Property tests in a hostile world: late uploads, long silence, wrong clocks, bad records and windows, failures, restarts.
import assert from "node:assert/strict";
import fc from "fast-check";
import { casesOf } from "../support/fuzz";
import { type Clock, RuntimeClock } from "../../src/clock";
import { HttpError, errorText } from "../../src/errors";
import type { PollRule } from "../../src/polling/ports";
import { HOUR, isInWindow, MINUTE, type TimeWindow } from "../../src/time-units";
import { type ModelRecord, ModelSeries } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
const DAY = 24 * HOUR;
const REFUSED = new HttpError(errorText("refused", { what: "Telemetry", status: 400 }), { statusCode: 400 });
const rule: PollRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
};
/** The real time at which all trouble is over. */
const OVER = noon + 12 * DAY;

/** Times of day of the site's uploads: some in time, some hours or days late, with silence in between. */
const seriesOf = fc.array(
  fc.record({
    length: fc.integer({ min: 3, max: 60 }),
    silence: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 * 1440 }) },
    ),
    delay: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 2 * 1440 }) },
    ),
    isUnreadable: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    isRefused: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  }),
  { minLength: 5, maxLength: 40 },
);

const stepsOf = fc.array(
  fc.record({
    minutes: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }) },
      { weight: 1, arbitrary: fc.integer({ min: 60, max: 3 * 1440 }) },
    ),
    event: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("message" as const, "schedule" as const) },
      { weight: 1, arbitrary: fc.constantFrom("off" as const, "down" as const, "restart" as const) },
      { weight: 2, arbitrary: fc.constantFrom("ahead" as const, "behind" as const, "right" as const) },
    ),
    by: fc.integer({ min: 2, max: 10 * 1440 }),
  }),
  { minLength: 3, maxLength: 25 },
);

type Step = { minutes: number; event: string; by: number };

interface WorldOptions {
  gapHorizon: number;
  /** Whether the service's answers say what time it is. */
  hasDate?: boolean;
  /** Whether each run is made by another worker, with the ledger that came back from the one before. */
  isCarried?: boolean;
}

class World {
  real = noon;
  /** How far the machine's clock is ahead, in milliseconds. */
  offset = 0;
  /** Time in which the process was off. */
  #off = 0;
  /** Makes records and windows fail. */
  trouble = (): void => undefined;
  /** Called after each run. */
  onRun = (): void => undefined;
  readonly series: ModelSeries;
  readonly records: ModelRecord[];
  readonly #local: Clock = {
    now: () => this.real + this.offset,
    monotonic: () => this.real - this.#off,
    isSure: true,
  };
  readonly clock: Clock;

  constructor(records: ModelRecord[], { gapHorizon, hasDate = false, isCarried = false }: WorldOptions) {
    this.records = records;
    const clock = new RuntimeClock(this.#local);
    const time = clock.open();
    this.clock = hasDate ? clock : this.#local;
    const options = { records, rule: { ...rule, gapHorizon }, clock: this.clock, isCarried };
    const onAnswer = (): void => {
      time.observe([this.real], clock.monotonic());
      // The request is made once more.
      if (!clock.isSure) time.observe([this.real], clock.monotonic());
    };
    this.series = new ModelSeries({ ...options, serviceNow: () => this.real, onAnswer });
  }

  /** A first run in peace: a ledger that travels exists once a run has succeeded. */
  async begin(): Promise<void> {
    await this.play({ minutes: 0, event: "message", by: 0 });
    this.trouble();
  }

  async play({ minutes, event, by }: Step): Promise<void> {
    if (event === "off") this.#off += minutes * MINUTE;
    this.real += minutes * MINUTE;
    if (event === "ahead") this.offset = by * MINUTE;
    if (event === "behind") this.offset = -by * MINUTE;
    if (event === "right") this.offset = 0;
    if (event === "off" || event === "restart") this.series.restart();
    this.series.isDown = event === "down";
    await this.series.run(event !== "schedule").catch(() => undefined);
    this.series.isDown = false;
    this.onRun();
  }

  /** All is well, for four days. */
  async recover(): Promise<void> {
    this.real = Math.max(this.real, OVER);
    this.offset = 0;
    this.series.poison.clear();
    this.series.unreadable.clear();
    for (let minutes = 0; minutes < 4 * 1440; minutes += 60)
      await this.play({ minutes: 60, event: "schedule", by: 0 });
  }

  /** Starts of the records sent, in order. */
  sent(): number[] {
    return this.series.sent.map(({ due }) => due.start).toSorted((a, b) => a - b);
  }
}

function worldOf(
  options: WorldOptions,
  drawn: { length: number; silence: number; delay: number; isUnreadable: boolean; isRefused: boolean }[],
): World {
  let time = noon;
  const records = drawn.map(({ length, silence, delay }) => {
    const start = time + silence * MINUTE;
    const end = start + length * MINUTE;
    time = end;
    return { start, end, published: end + delay * MINUTE };
  });
  const world = new World(
    records.filter(({ published }) => published <= OVER),
    options,
  );
  world.trouble = () => {
    for (const [index, { isUnreadable, isRefused }] of drawn.entries()) {
      const record = world.records[index];
      if (record && isUnreadable) world.series.unreadable.add(record.start);
      if (record && isRefused) world.series.poison.set({ start: record.start, end: record.end }, REFUSED);
    }
  };
  return world;
}

for (const carried of [{}, { isCarried: true, hasDate: true }]) {
  describe("isCarried" in carried ? "workers in a hostile world" : "polling in a hostile world", () => {
    // Shrinking a counterexample takes long.

    it("delivers every record once all is well", async () => {
      await fc.assert(
        fc.asyncProperty(seriesOf, stepsOf, async (drawn, steps) => {
          const world = worldOf({ gapHorizon: 60 * DAY, ...carried }, drawn);
          await world.begin();
          for (const step of steps) await world.play(step);
          await world.recover();
          assert.deepEqual(
            world.series.notices.filter(({ kind }) => kind === "given-up"),
            [],
          );
          assert.deepEqual(
            world.sent(),
            world.records.map(({ start }) => start),
          );
        }),
        { numRuns: casesOf(3) },
      );
    });

    it("misses only what it has told, and has requested that over gapHours", async () => {
      await fc.assert(
        fc.asyncProperty(seriesOf, stepsOf, async (drawn, steps) => {
          const world = worldOf({ gapHorizon: 72 * HOUR, ...carried }, drawn);
          const asked: { window: TimeWindow; at: number }[] = [];
          const told: { window: TimeWindow; at: number; now: number }[] = [];
          world.onRun = () => {
            const at = world.clock.monotonic();
            asked.push(...world.series.answered.splice(0).map((window) => ({ window, at })));
            for (const notice of world.series.notices.splice(0))
              if (notice.kind === "given-up")
                told.push({ window: notice.window, at, now: world.clock.now() });
          };
          await world.begin();
          for (const step of steps) await world.play(step);
          await world.recover();
          for (const { window, at, now } of told) {
            if (now - window.start > 7 * DAY) {
              // A long gap, or a part of long silence, is requested a day at a time: each one once more, 72 hours after the first.
              const near = asked.filter((one) => one.at <= at && isInWindow(one.window, window));
              const lastAsked = near.filter((one) => one.at - (near[0]?.at ?? at) >= 72 * HOUR);
              assert.ok(
                covers(
                  lastAsked.map((one) => one.window),
                  window,
                ),
                "a day not requested again",
              );
              continue;
            }
            const askedAt = [...new Set(asked.map((one) => one.at))].filter((time) => {
              const windows = asked.filter((one) => one.at === time).map((one) => one.window);
              return time <= at && covers(windows, window);
            });
            assert.ok(at - (askedAt[0] ?? at) >= 72 * HOUR, "given up too early");
            assert.equal(askedAt.at(-1), at, "not requested just before");
          }
          const missing = world.records.filter(({ start }) => !world.sent().includes(start));
          assert.ok(missing.every((record) => told.some(({ window }) => covers([window], record))));
        }),
        { numRuns: casesOf(3) },
      );
    });

    it("misses nothing that is published, if the service says what time it is", async () => {
      await fc.assert(
        fc.asyncProperty(seriesOf, stepsOf, async (drawn, steps) => {
          const calm = drawn.map((one) => ({ ...one, isUnreadable: false, isRefused: false }));
          const world = worldOf({ gapHorizon: 60 * DAY, ...carried, hasDate: true }, calm);
          let isDown = false;
          world.onRun = () => {
            // In time, too: every record that is published when its interval ends.
            const due = world.records.filter(
              ({ end, published }) => published === end && end <= world.real - MINUTE,
            );
            if (!isDown) assert.ok(due.every(({ start }) => world.sent().includes(start)));
          };
          for (const step of [{ minutes: 0, event: "message", by: 0 }, ...steps]) {
            isDown = step.event === "down";
            await world.play(step);
          }
        }),
        { numRuns: casesOf(3) },
      );
    });
  });
}

/** Whether the windows together cover all of an interval. */
function covers(windows: readonly TimeWindow[], { start, end }: TimeWindow): boolean {
  let coveredTo = start;
  for (const window of windows.toSorted((a, b) => a.start - b.start))
    if (window.start <= coveredTo) coveredTo = Math.max(coveredTo, window.end);
  return coveredTo >= end;
}
