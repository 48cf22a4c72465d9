// Property tests for the counter guard: glitches, resets, gaps and restarts never add energy to Home Assistant's totals.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Counters, checkCounters } from "../../../src/mqtt/home-assistant/counters";
import { HOUR, MINUTE } from "../../../src/time-units";
import { casesOf } from "../../support/fuzz";

const INTERVAL = 5 * MINUTE;
/** W */
const HIGHEST_POWER = 10_000;
/** How old the stored counters may be after a kill. */
const STORED_EVERY = 15 * MINUTE;
const NAME = "consumption/lifetimeEnergy";

/** What the records report besides the counter, and the power that the guard may then assume, in W. */
const REPORTS = { energy: HIGHEST_POWER, power: HIGHEST_POWER, nothing: 50_000 };
type Report = keyof typeof REPORTS;

interface Meter {
  report: Report;
  /** Wh */
  first: number;
  /** Wh: the counter shows multiples of it. */
  step: number;
}

/** One record, and what happens before it. */
interface Step {
  /** W, in the interval. */
  power: number;
  /** Hours without records, and the power in them. */
  gap: { hours: number; power: number } | undefined;
  isReset: boolean;
  /** Node-RED was killed, and as many records ago the counters were last stored. */
  restart: number | undefined;
  /** What the counter shows instead of its value, in Wh. */
  glitch: number | undefined;
}

interface Checked extends Step {
  /** What the counter shows if nothing is wrong, and the energy since the first record. Wh. */
  value: number;
  truth: number;
  /** What was published; undefined if suppressed. Wh. */
  published: number | undefined;
  /** How far Home Assistant's total may be above the truth so far, in Wh. */
  slack: number;
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const METER: fc.Arbitrary<Meter> = fc.record({
  report: fc.constantFrom<Report[]>("energy", "power", "nothing"),
  first: fc.oneof(fc.nat(10_000), fc.nat(20_000_000)),
  step: fc.constantFrom(1, 1000),
});

const STEP: fc.Arbitrary<Step> = fc.record({
  power: fc.nat(HIGHEST_POWER),
  gap: rarely(fc.record({ hours: fc.integer({ min: 1, max: 96 }), power: fc.nat(HIGHEST_POWER) })),
  isReset: rarely(fc.constant(true)).map(Boolean),
  restart: rarely(fc.nat(2)),
  glitch: rarely(fc.oneof(fc.constant(0), fc.nat(20_000), fc.nat(100_000_000))),
});

const SERIES = fc.array(STEP, { minLength: 1, maxLength: 60 }).map(withShortGlitches);

/**
 * At most two glitches in a row: three that agree are a reset, as far as anyone can tell. The first value is true, and so is
 * the first after a restart, which may find the glitches before it in the stored counters.
 */
function withShortGlitches(steps: Step[]): Step[] {
  let inRow = 2;
  return steps.map((step) => {
    const glitch = inRow < 2 && step.restart === undefined ? step.glitch : undefined;
    inRow = glitch === undefined ? 0 : inRow + 1;
    return { ...step, glitch };
  });
}

/** Runs a series through the guard as records come in. */
function run({ report, first, step: shownStep }: Meter, steps: Step[]): Checked[] {
  /** The counters after each record, as they would be stored. */
  const states: { counters: Counters; end: number }[] = [];
  let counters: Counters = {};
  let [end, meter, truth, slack, lastPublished] = [0, first, 0, shownStep, 0];
  return steps.map((step, index) => {
    if (step.restart !== undefined) counters = stored(states, step.restart);
    if (step.isReset) meter = 0;
    const gap = index === 0 ? undefined : step.gap;
    const start = end + (gap?.hours ?? 0) * HOUR;
    end = start + INTERVAL;
    const energy = (step.power * INTERVAL) / HOUR;
    const rise = energy + (gap ? gap.hours * gap.power : 0);
    meter += rise;
    // The counter of the first record is where Home Assistant's total begins.
    if (index > 0) truth += rise;

    const value = Math.floor(meter / shownStep) * shownStep;
    const own = { energy: { energy }, power: { power: step.power }, nothing: {} }[report];
    const consumption = { ...own, lifetimeEnergy: step.glitch ?? value };
    const record = { startTime: "", endTime: "", consumption };
    const knownEnd = counters[NAME]?.end ?? 0;
    const checked = checkCounters(counters, { record, start, end });
    counters = checked.counters;
    states.push({ counters: JSON.parse(JSON.stringify(counters)) as Counters, end });

    if (step.isReset) slack += shownStep;
    if (step.glitch !== undefined) {
      // The rise that the guard cannot tell from a true one, and the drop back: Home Assistant adds the value behind a drop
      // only if it is less than 90 %, so that it is no more than nine times the drop.
      // What the guard knows may be older than what was published, after a kill.
      const hours = (end - Math.min(lastPublished, knownEnd) + STORED_EVERY) / HOUR;
      slack += 10 * (1000 + shownStep + 1.5 * hours * REPORTS[report]);
    }
    const published = checked.suppressed.has(NAME) ? undefined : (step.glitch ?? value);
    if (published !== undefined) lastPublished = end;
    return { ...step, value, truth, published, slack };
  });
}

/** The counters that a restart finds: at most a few records old, and never older than stored every so often. */
function stored(states: { counters: Counters; end: number }[], recordsAgo: number): Counters {
  const newest = states.at(-1);
  const isStored = ({ end }: { end: number }): boolean => (newest?.end ?? 0) - end < STORED_EVERY;
  return states.slice(-1 - recordsAgo).find(isStored)?.counters ?? {};
}

/** Home Assistant's total of a sensor with state class total_increasing, after each of its states. */
function totals(states: (number | undefined)[]): number[] {
  let [sum, last] = [0, states[0] ?? 0];
  return states.map((state) => {
    if (state === undefined) return sum;
    // Below 90 % of the last state, it assumes that the meter has started again from 0.
    sum += state < 0.9 * last ? state : state - last;
    last = state;
    return sum;
  });
}

const OPTIONS = { numRuns: casesOf(200) };

describe("counter guard, whatever the meter does", () => {
  it("never adds energy to Home Assistant's total but what no one could tell from a true rise", () => {
    fc.assert(
      fc.property(METER, SERIES, (meter, steps) => {
        const series = run(meter, steps);
        const sums = totals(series.map(({ published }) => published));
        series.forEach(({ truth, slack }, index) => {
          assert.ok(
            (sums[index] ?? 0) <= truth + slack,
            `record ${index}: ${sums[index]} > ${truth} + ${slack}`,
          );
        });
      }),
      OPTIONS,
    );
  });

  it("publishes the true value no later than the third record behind a gap, a reset, glitches or a restart", () => {
    fc.assert(
      fc.property(METER, SERIES, (meter, steps) => {
        const series = run(meter, steps);
        series.forEach(({ published, value }, index) => {
          const [first, second, third] = series.slice(Math.max(0, index - 2), index + 1);
          const areConsecutive =
            third !== undefined && [second, third].every((step) => step && isSteady(step));
          if (areConsecutive && first?.glitch === undefined)
            assert.equal(published, value, `record ${index}`);
        });
      }),
      OPTIONS,
    );
  });

  it("suppresses nothing while records follow each other, whatever they report and whatever the counter's step", () => {
    const steady = STEP.map(({ power, restart }) => {
      // With the newest counters: behind older ones there is a gap.
      const calm = { gap: undefined, isReset: false, glitch: undefined };
      return { power, restart: restart && 0, ...calm };
    });
    fc.assert(
      fc.property(METER, fc.array(steady, { minLength: 1, maxLength: 60 }), (meter, steps) => {
        for (const { published, value } of run(meter, steps)) assert.equal(published, value);
      }),
      { numRuns: casesOf(60) },
    );
  });
});

function isSteady({ gap, isReset, restart, glitch }: Step): boolean {
  return gap === undefined && !isReset && restart === undefined && glitch === undefined;
}
