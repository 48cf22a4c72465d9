// Tests for the rise of a lifetime counter: limited by the energy of the interval, and by the highest power in a gap.
import assert from "node:assert/strict";
import { isPlausibleRise, peakPower } from "../../../src/models/counter-rise";
import { intervalEnergy } from "../../../src/mqtt/home-assistant/counters";
import { HOUR, MINUTE } from "../../../src/time-units";

const BASE = { value: 50_000, end: 0 };

/** The highest plausible rise in Wh, of a record of 5 minutes that begins `gap` ms after the last one ended. */
function limit(energy: number | undefined, gap = 0, peak?: number): number {
  const plausible = (rise: number): boolean => {
    const value = BASE.value + rise;
    return isPlausibleRise(BASE, { value, start: gap, end: gap + 5 * MINUTE, energy }, peak);
  };
  let [low, high] = [0, 10_000_000];
  assert.ok(plausible(low) && !plausible(high));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = plausible(middle) ? [middle, high] : [low, middle];
  }
  return low;
}

describe("the energy that belongs to a lifetime counter", () => {
  const energyOf = (group: object, field: string): number | undefined => {
    const record = { startTime: "", endTime: "", group };
    return intervalEnergy({ record, start: 0, end: 30 * MINUTE }, "group", field);
  };

  it("is the field that it sums up, without its sign", () => {
    const group = { energy: -1, importedEnergy: 2, exportedEnergy: 3, dischargeEnergy: 4, chargeEnergy: 5 };
    const fields = ["", "Imported", "Exported", "Discharge", "Charge"];
    assert.deepEqual(
      fields.map((field) => energyOf(group, `lifetime${field}Energy`)),
      [1, 2, 3, 4, 5],
    );
  });

  it("is derived from the power if it is missing, null or text", () => {
    for (const energy of [undefined, null, "12"])
      assert.equal(energyOf({ energy, power: -3000 }, "lifetimeEnergy"), 1500);
  });

  it("is unknown without either", () => {
    assert.equal(energyOf({ power: null }, "lifetimeEnergy"), undefined);
    assert.equal(energyOf([], "lifetimeEnergy"), undefined);
  });
});

describe("a lifetime counter may rise", () => {
  it("by a quarter more than the energy of the interval, and by the step of a meter in kWh", () => {
    assert.equal(limit(0), 1000);
    assert.equal(limit(800), 2000);
  });

  it("in a gap by half more than the highest power: so far, or in this record", () => {
    assert.equal(limit(0, 2 * HOUR), 1000);
    assert.equal(limit(0, 2 * HOUR, 4000), 13_000);
    assert.equal(limit(400, 2 * HOUR), 1500 + 2 * 4800 * 1.5);
  });

  it("by the largest connection of a home if the record reports nothing else", () => {
    assert.equal(limit(undefined), 1000 + Math.floor((50_000 / 12) * 1.25));
  });

  it("never below an earlier reading, not even by a rounding error", () => {
    assert.equal(isPlausibleRise(BASE, { value: 49_999.999, start: 0, end: HOUR, energy: 5000 }), false);
  });

  it("by nothing that is not finite", () => {
    const reading = { value: 1e308, start: 0, end: 1, energy: 1e308 };
    assert.equal(isPlausibleRise(BASE, reading), false);
    assert.equal(peakPower(BASE, reading, 70), 70);
  });
});

describe("the highest power of a counter", () => {
  const peak = (energy: number | undefined, rise: number, known?: number): number | undefined =>
    peakPower(BASE, { value: BASE.value + rise, start: 0, end: HOUR / 2, energy }, known);

  it("is that of the interval, and never falls", () => {
    assert.equal(peak(500, 500), 1000);
    assert.equal(peak(500, 500, 2000), 2000);
    assert.equal(peak(undefined, 500, 2000), 2000);
  });

  it("is no higher than the counter confirms", () => {
    assert.equal(peak(1_000_000, 500), 3000);
  });
});
