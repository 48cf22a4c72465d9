// Tests for the counter guard: implausible readings are held back, and a reset is accepted with the third record.
import assert from "node:assert/strict";
import fc from "fast-check";
import { HOUR, MINUTE } from "../../../src/time-units";
import { type Counters, checkCounters } from "../../../src/mqtt/home-assistant/counters";

const TIMES = { startTime: "", endTime: "" };

/** The result for consecutive readings, one in each record; null if the reading is held back. */
function passed(readings: unknown[], ends = readings.map((_reading, index) => index + 1)): unknown[] {
  let counters: Counters = {};
  return readings.map((reading, index) => {
    const record = { ...TIMES, grid: { lifetimeImportedEnergy: reading, power: -1 } };
    const end = ends[index] ?? 0;
    const judged = checkCounters(counters, { record, start: end - 1, end });
    // Simulate a restart: the state is stored as JSON.
    counters = JSON.parse(JSON.stringify(judged.counters)) as Counters;
    assert.equal(judged.suppressed.has("grid/power"), false);
    return judged.suppressed.has("grid/lifetimeImportedEnergy") ? null : reading;
  });
}

describe("counter guard", () => {
  it("passes a counter that rises or stays", () => {
    assert.deepEqual(passed([0, 5, 5, 9.5]), [0, 5, 5, 9.5]);
  });

  it("holds back one or two lower readings, even 0, and then ignores them", () => {
    assert.deepEqual(passed([100, 0, 101]), [100, null, 101]);
    assert.deepEqual(passed([100, 0, 99, 101, 7, 102]), [100, null, null, 101, null, 102]);
  });

  it("accepts a reset with the third record in a row", () => {
    assert.deepEqual(passed([100, 0, 2, 3, 4]), [100, null, null, 3, 4]);
  });

  it("starts counting again if the lower readings drop themselves", () => {
    assert.deepEqual(passed([100, 50, 60, 10, 11, 12]), [100, null, null, null, null, 12]);
  });

  it("holds back one or two readings that are too high, and then ignores them", () => {
    assert.deepEqual(passed([2000, 100_002, 2001, 2002, 2003]), [2000, null, 2001, 2002, 2003]);
    assert.deepEqual(passed([2000, 90_000, 90_001, 2001]), [2000, null, null, 2001]);
  });

  it("does not add up readings that disagree with each other", () => {
    assert.deepEqual(passed([2000, 90_000, 0, 70_000, 2001]), [2000, null, null, null, 2001]);
  });

  it("accepts a higher meter reading with the third record in a row", () => {
    assert.deepEqual(passed([2000, 90_000, 90_001, 90_002, 90_003]), [2000, null, null, 90_002, 90_003]);
  });

  it("forgets a doubt once a reading agrees with the last accepted one", () => {
    assert.deepEqual(passed([2000, 0, 1, 2001, 2, 3, 4]), [2000, null, null, 2001, null, null, 4]);
  });

  it("never accepts readings below zero", () => {
    assert.deepEqual(passed([-1, 100, -1, -1, -1, -1, 101]), [null, 100, null, null, null, null, 101]);
  });

  it("ignores null, which neither confirms nor disproves a reset", () => {
    assert.deepEqual(passed([100, 1, null, 2, 3]), [100, null, null, null, 3]);
  });

  it("counts a repeated record once, with the same result", () => {
    assert.deepEqual(passed([100, 1, 1, 1, 1], [1, 2, 2, 2, 2]), [100, null, null, null, null]);
    assert.deepEqual(passed([100, 100], [1, 1]), [100, 100]);
  });

  it("treats an older record neither as a drop nor as the newest record", () => {
    assert.deepEqual(passed([100, 90, 100, 101], [5, 4, 5, 6]), [100, null, 100, 101]);
  });

  it("never passes a drop that three consecutive records do not confirm", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 40 }), (readings) => {
        let last = 0;
        passed(readings).forEach((value, index) => {
          if (value === null) return;
          if (Number(value) < last) {
            const confirming = readings.slice(index - 2, index + 1);
            assert.ok(confirming.length === 3 && confirming.every((reading) => reading < last));
          }
          last = Number(value);
        });
      }),
    );
  });

  it("remembers the highest power, so that a long gap needs no confirmation", () => {
    const solar = (lifetimeEnergy: number, energy: number): object => ({ solar: { lifetimeEnergy, energy } });
    let counters: Counters = {};
    const isSuppressed = (groups: object, start: number): boolean => {
      const timed = { record: { ...TIMES, ...groups }, start, end: start + 5 * MINUTE };
      const checked = checkCounters(counters, timed);
      counters = JSON.parse(JSON.stringify(checked.counters)) as Counters;
      return checked.suppressed.size > 0;
    };
    assert.equal(isSuppressed(solar(10_000, 0), 0), false);
    assert.equal(isSuppressed(solar(10_400, 400), 5 * MINUTE), false);
    // A day later, at night: 24 h with a highest power of 4.8 kW.
    assert.equal(isSuppressed(solar(200_000, 0), 24 * HOUR), true);
    assert.equal(isSuppressed(solar(50_000, 0), 24 * HOUR + 5 * MINUTE), false);
  });

  it("guards the lifetime counters that are entities, and nothing else", () => {
    const record = (value: number) => ({
      ...TIMES,
      novel: { lifetimeHeat: value, energy: value },
      rgm: { lifetimeImportedEnergy: value, energy: value },
      solar: null,
    });
    const { counters } = checkCounters({}, { record: record(9), start: 0, end: 1 });
    const { suppressed } = checkCounters(counters, { record: record(1), start: 1, end: 2 });
    assert.deepEqual([...suppressed], ["rgm/lifetimeImportedEnergy"]);
  });
});
