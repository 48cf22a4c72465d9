import assert from "node:assert/strict";
import fc from "fast-check";
import type { TimedRecord } from "../../src/models/telemetry";
import type { MoneyRule } from "../../src/totals/money";
import { readingsOver } from "../../src/totals/balance";
import { constantPrice } from "../../src/totals/prices";
import { type Amounts, joinedSums } from "../../src/totals/sums";
import { casesOf } from "../support/fuzz";
import { MINUTES, record, START, sums, trace, withGroups } from "./energy";

const PLAIN: MoneyRule = {
  importPrice: constantPrice(0.3),
  exportPrice: constantPrice(0.08),
  fixed: 0,
  fixedPer: "day",
  netting: "none",
  delivery: 0,
};
const options = { numRuns: casesOf(30) };

function near(actual: number | null | undefined, expected: number, what = "value"): void {
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) < 1e-6,
    `${what} is ${actual}, expected ${expected}`,
  );
}

/** What the counter of imported energy says. */
function grid(lifetimeImportedEnergy: number): Record<string, Record<string, number>> {
  return { grid: { lifetimeImportedEnergy } };
}

/** Records of 5 minutes with a random balance, some of them missing, with counters. */
const days = fc
  .array(
    fc.record({
      solar: fc.integer({ min: 0, max: 400 }),
      load: fc.integer({ min: 0, max: 400 }),
      battery: fc.integer({ min: -300, max: 300 }),
      length: fc.constantFrom(5, 5, 5, 7, 15),
    }),
    { minLength: 3, maxLength: 60 },
  )
  .map((steps) => {
    const records: TimedRecord[] = [];
    let minute = 0;
    let stored = 3000;
    for (const { solar, load, battery, length } of steps) {
      const discharged = Math.min(Math.max(battery, 0), stored);
      const charged = Math.max(-battery, 0);
      const net = load + charged - solar - discharged;
      stored += charged * 0.95 - discharged;
      records.push(
        record(minute, minute + length, {
          solar,
          consumed: load,
          charged,
          discharged,
          imported: Math.max(net, 0),
          exported: Math.max(-net, 0),
          stored,
        }),
      );
      minute += length;
    }
    return { records, minutes: minute };
  });

describe("sums of a period", () => {
  it("is the same for any cut", () => {
    fc.assert(
      fc.property(
        days,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
        ({ records, minutes }, cuts) => {
          const edges = [0, ...cuts.map((cut) => cut * minutes).toSorted((a, b) => a - b), minutes];
          const whole = sums(records, 0, minutes, { money: PLAIN });
          const parts = edges
            .slice(1)
            .map((edge, index) => sums(records, edges[index] ?? 0, edge, { money: PLAIN }));
          const joined = joinedSums(parts);
          for (const [group, values] of Object.entries(whole.amounts)) {
            const others: Partial<Record<string, number>> = joined.amounts[group as "energy"];
            assert.deepEqual(Object.keys(others).toSorted(), Object.keys(values).toSorted());
            for (const [name, value] of Object.entries(values)) near(others[name], value, `${group}.${name}`);
          }
          near(joined.days, whole.days, "days");
        },
      ),
      options,
    );
  });

  it("splits the saving into that of the sun and that of the battery, without a rest", () => {
    fc.assert(
      fc.property(days, ({ records, minutes }) => {
        const { money } = sums(records, 0, minutes, { money: PLAIN }).amounts;
        const { baseline = 0, cost = 0, worth = 0, valueChange = 0 } = money;
        const saving = baseline - (cost - worth) + valueChange;
        near((money.solarSaving ?? 0) + (money.batterySaving ?? 0), saving, "saving");
      }),
      options,
    );
  });

  it("follows the battery across a restart between any two records", () => {
    fc.assert(
      fc.property(days, fc.nat(59), ({ records }, cut) => {
        const whole = trace(records, { money: PLAIN });
        const first = trace(records.slice(0, cut), { money: PLAIN });
        const second = trace(records.slice(cut), {
          money: PLAIN,
          ...(first.account && { account: first.account }),
        });
        assert.deepEqual(second.account ?? first.account, whole.account);
      }),
      options,
    );
  });

  it("traces what the battery held, so that night charging is not sold as sunshine", () => {
    // Charged with 1000 from the grid in an empty battery; used later: nothing of it is own.
    const night = record(0, 60, { imported: 1000, charged: 1000, stored: 1000 });
    const day = record(60, 120, { discharged: 1000, consumed: 1000, stored: 0 });
    const { use, flows } = sums([night, day], 0, 120).amounts;
    near(use.used, 1000);
    near(use.ownUsed, 0);
    near(flows.batteryToHome, 1000);
  });

  it("counts a gap by the counters on both sides, and says that it is an estimate", () => {
    const at = (imported: number, used: number): Record<string, Record<string, number>> => ({
      grid: { lifetimeImportedEnergy: imported, lifetimeExportedEnergy: 0 },
      consumption: { lifetimeEnergy: used },
      solar: { lifetimeEnergy: 500 },
      storage: { lifetimeChargeEnergy: 0, lifetimeDischargeEnergy: 0 },
    });
    // 100 each in two records of an hour; 40 between them by the counters, of which half lies in the first part.
    const records = [
      record(0, 60, { imported: 100, consumed: 100 }, at(5000, 7000)),
      record(120, 180, { imported: 100, consumed: 100 }, at(5140, 7140)),
    ];
    const whole = sums(records, 0, 180);
    near(whole.amounts.energy.imported, 240);
    near(whole.amounts.estimated.imported, 40);
    near(whole.amounts.flows.gridToHome, 240);
    assert.deepEqual(whole.missing, [{ start: START + 60 * MINUTES, end: START + 120 * MINUTES }]);
    near(sums(records, 0, 90).amounts.energy.imported, 120);
    // What the record behind the gap does not say of itself has its share of the 140.
    const [before, behind] = [
      records[0],
      record(120, 180, { imported: null, consumed: 100 }, at(5140, 7140)),
    ];
    near(
      sums(
        [before, behind].flatMap((one) => one ?? []),
        0,
        120,
      ).amounts.energy.imported,
      170,
    );
  });

  it("computes what was used from the rest where no one says it, and says so", () => {
    const told = { solar: 500, imported: 300, exported: 100, charged: 80, discharged: 30, consumed: null };
    const { energy, inferred } = sums([record(0, 60, told)], 0, 30).amounts;
    near(energy.consumed, 325);
    near(inferred.consumption, 325);
    const at = (imported: number): Record<string, Record<string, number>> => ({
      grid: { lifetimeImportedEnergy: imported, lifetimeExportedEnergy: 0 },
      solar: { lifetimeEnergy: 500 },
      storage: { lifetimeChargeEnergy: 0, lifetimeDischargeEnergy: 0 },
    });
    const gap = [record(0, 60, { consumed: null }, at(0)), record(120, 180, { consumed: null }, at(40))];
    const { amounts } = sums(gap, 0, 180);
    near(amounts.estimated.consumed, 40);
    near(amounts.inferred.consumption, 40);
  });

  it("counts by the counters what records in between do not say, and says that it is an estimate", () => {
    const silent = record(60, 120, { consumed: 100 });
    const records = [
      record(0, 60, { imported: 100, consumed: 100 }, grid(5000)),
      // No grid for an hour, then no record for an hour, then one whose counter is missing.
      withGroups(silent, { grid: null }),
      record(180, 240, { imported: 100, consumed: 100 }),
      record(240, 300, { imported: 50, consumed: 50 }, grid(5350)),
    ];
    // 5350 - 5000 = 350 since the first record: 100 and 50 are the records' own, 200 for two hours of silence.
    const { amounts } = sums(records, 0, 300);
    near(amounts.energy.imported, 450);
    near(amounts.estimated.imported, 200);
    near(sums(records, 0, 120).amounts.energy.imported, 200);
    // Who fed whom in the hour without a grid is not known; between records nothing else is.
    near(amounts.flows.gridToHome, 250);
    near(amounts.covered.grid, 180 * MINUTES);
    near(amounts.covered.consumption, 240 * MINUTES);
  });

  it("counts what was used by its counter, although the rest of records that do not say it comes to more", () => {
    const used = (lifetimeEnergy: number): Record<string, Record<string, number>> => ({
      consumption: { lifetimeEnergy },
    });
    const silent = (from: number): TimedRecord => record(from, from + 60, { solar: 110, consumed: null });
    const records = [
      record(0, 60, { solar: 100, consumed: 100 }, used(1000)),
      silent(60),
      silent(120),
      record(180, 240, { solar: 5, consumed: 5 }, used(1205)),
    ];
    const { amounts } = sums(records, 60, 240);
    near(amounts.energy.consumed, 205);
    near(amounts.estimated.consumed, 200);
    near(amounts.flows.solarToHome, 225);
    // Where no counter comes after them, the rest is all that is known.
    near(sums(records.slice(0, 3), 60, 180).amounts.energy.consumed, 220);
  });

  it("pays for what counters say of records without a grid, so that the saving does not grow by it", () => {
    const silent = record(5, 10, { solar: 20, consumed: 60 });
    const counters = (lifetimeImportedEnergy: number): Record<string, Record<string, number>> => ({
      grid: { lifetimeImportedEnergy, lifetimeExportedEnergy: 7000 },
    });
    const records = [
      record(0, 5, { solar: 20, imported: 40, consumed: 60 }, counters(5000)),
      withGroups(silent, { grid: null }),
      record(10, 15, { solar: 20, imported: 40, consumed: 60 }, counters(5080)),
    ];
    const { energy, money, own } = sums(records, 0, 15, { money: PLAIN }).amounts;
    near(energy.imported, 120);
    near(money.imported, 120);
    near(money.solarSaving, (money.baseline ?? 0) - (money.cost ?? 0));
    near(own.imported, 80);
  });

  it("loses no energy where a counter was not reported for a while, but the records' own energy was", () => {
    const records = [
      record(0, 5, { imported: 50 }, grid(1000)),
      record(5, 10, { imported: 60 }),
      // 115 since 1000: 60 of the record before, 55 here, though it says 50.
      record(10, 15, { imported: 50 }, grid(1115)),
    ];
    near(sums(records, 0, 15).amounts.energy.imported, 165);
  });

  it("leaves a gap without counters unknown", () => {
    const whole = sums(
      [record(0, 60, { imported: 100, consumed: 100 }), record(120, 180, { imported: 100, consumed: 100 })],
      0,
      180,
    );
    near(whole.amounts.energy.imported, 200);
    assert.deepEqual(whole.amounts.estimated, {});
    near(whole.amounts.covered.grid, 120 * MINUTES);
  });

  it("knows what the counters were at any time, from the last readings and what was counted since", () => {
    const { intervals } = trace([
      record(0, 60, { imported: 100 }, grid(5000)),
      record(60, 120, { imported: 60 }),
      record(120, 180, { imported: 50 }, grid(5120)),
    ]);
    const times = [30, 60, 90, 120, 150, 180, 200].map((minute) => START + minute * MINUTES);
    assert.deepEqual(
      times.map(readingsOver(intervals)).map(({ imported }) => imported),
      [undefined, 5000, 5030, 5060, 5090, 5120, 5120],
    );
  });

  it("counts a reset by the record's own energy, and names it", () => {
    const records = [
      record(0, 5, { imported: 50 }, grid(9000)),
      record(5, 10, { imported: 60 }, grid(0)),
      record(10, 15, { imported: 70 }, grid(70)),
    ];
    const { amounts, resets } = sums(records, 0, 15);
    near(amounts.energy.imported, 180);
    assert.deepEqual(resets, [{ quantity: "imported", at: START + 10 * MINUTES }]);
  });

  it("takes the energy of hours in which a counter was not reported for no power that it may have had", () => {
    const silent = Array.from({ length: 72 }, (_none, index) =>
      record(5 + index * 5, 10 + index * 5, { imported: 100 }),
    );
    const records = [
      record(0, 5, { imported: 100 }, grid(9000)),
      ...silent,
      // 7.3 kWh since then, says the grid, and 200 more, says its counter.
      record(365, 370, { imported: 100 }, grid(9000 + 7300 + 200_000)),
    ];
    const { amounts, resets } = sums(records, 0, 370);
    near(amounts.energy.imported, 7400);
    assert.deepEqual(resets, [{ quantity: "imported", at: START + 370 * MINUTES }]);
  });

  it("takes no counter for reset that is back in a record without an energy of its own", () => {
    // 2 kW all the time.
    const records = [
      record(0, 60, { imported: 2000 }, grid(9000)),
      record(60, 120, { imported: 2000 }),
      record(120, 180, { imported: null }, grid(13_000)),
    ];
    const { amounts, resets } = sums(records, 60, 180);
    assert.deepEqual(resets, []);
    near(amounts.energy.imported, 4000);
  });

  it("knows no flows without solar energy, but all energies, and estimates what the sun gave", () => {
    const told = { imported: 100, exported: 50, charged: 30, discharged: 20, consumed: 400 };
    const one = record(0, 60, { solar: null, ...told });
    const { flows, energy, inferred } = sums([one], 0, 60).amounts;
    assert.deepEqual(flows, {});
    assert.equal(energy.solar, undefined);
    near(energy.consumed, 400);
    near(inferred.solar, 360);
    near(sums([one], 0, 30).amounts.inferred.solar, 180);
  });

  it("has no energy of equipment that is absent, and none known of equipment that may be there", () => {
    const one = record(0, 60, { solar: null, imported: 100, consumed: 100 });
    assert.deepEqual(sums([one], 0, 60).amounts.flows, {});
    const absent = new Set(["solar" as const]);
    near(sums([one], 0, 60, { absent }).amounts.flows.gridToHome, 100);
  });

  it("prices each part of a record at its own price", () => {
    // Half an hour at 0.20, half at 0.40: 1 kWh costs 0.30.
    const steps = [
      { start: START, end: START + 30 * MINUTES, price: 0.2 },
      { start: START + 30 * MINUTES, end: START + 60 * MINUTES, price: 0.4 },
    ];
    const money = { ...PLAIN, importPrice: steps };
    near(sums([record(0, 60, { imported: 1000, consumed: 1000 })], 0, 60, { money }).amounts.money.cost, 0.3);
  });

  it("leaves no rest of the saving where a part cuts a record whose price changes", () => {
    const cheap = { start: START, end: START + 30 * MINUTES, price: 0.2 };
    const dear = { start: START + 30 * MINUTES, end: START + 60 * MINUTES, price: 0.4 };
    const money = { ...PLAIN, importPrice: [cheap, dear] };
    const night = [record(0, 60, { imported: 1000, charged: 1000, stored: 1000 })];
    // Half of the energy is in the battery by then, at what it cost.
    const half = sums(night, 0, 30, { money }).amounts.money;
    near(half.cost, 0.1);
    near(half.valueChange, 0.1);
    near(sums(night, 0, 60, { money }).amounts.money.valueChange, 0.3);
  });

  it("gives no worth to what has no price, and says how much that is", () => {
    const money = {
      ...PLAIN,
      importPrice: [{ start: START, end: START + 60 * MINUTES, price: 0.2 }],
    };
    const whole = sums([record(0, 120, { imported: 1000, consumed: 1000 })], 0, 120, { money }).amounts.money;
    near(whole.cost, 0.1);
    near(whole.priced, 500);
    near(whole.used, 1000);
  });

  it("nets by blocks of 15 minutes, and by the day", () => {
    const records = [
      record(0, 15, { imported: 1000, consumed: 1000 }),
      record(15, 30, { exported: 600, solar: 600 }),
      record(30, 45, {}),
    ];
    const by = (netting: MoneyRule["netting"]): Amounts["money"] =>
      sums(records, 0, 45, { money: { ...PLAIN, netting } }).amounts.money;
    // No block has both, and one has none: as without netting.
    near(by("15").cost, 0.3);
    near(by("15").worth, 0.048);
    // 400 remain to pay.
    near(by("day").cost, 0.12);
    near(by("day").worth, 0);
    near(by("30").cost, 0.12);
  });

  it("nets a record that crosses blocks by its share of time in each", () => {
    // An hour of 1000 in, then an hour of 600 out, by blocks that begin at :00 of a zone half an hour ahead.
    const records = [
      record(0, 60, { imported: 1000, consumed: 1000 }),
      record(60, 120, { exported: 600, solar: 600 }),
    ];
    const all = sums(records, 0, 120, { money: { ...PLAIN, netting: "60" } }, "Asia/Kolkata");
    // Blocks: 500 in; 500 in and 300 out: 200 in; 300 out.
    near(all.amounts.money.cost, 0.7 * 0.3);
    near(all.amounts.money.worth, 0.3 * 0.08);
  });

  it("counts import that has a price although export has none, and keeps the identity", () => {
    fc.assert(
      fc.property(days, fc.nat(300), fc.nat(300), ({ records, minutes }, one, other) => {
        const until = (minute: number): MoneyRule["importPrice"] => [
          { start: START, end: START + minute * MINUTES, price: 0.3 },
        ];
        const { money } = sums(records, 0, minutes, {
          money: { ...PLAIN, importPrice: until(one), exportPrice: until(other) },
        }).amounts;
        const { baseline = 0, cost = 0, worth = 0, valueChange = 0 } = money;
        near((money.solarSaving ?? 0) + (money.batterySaving ?? 0), baseline - cost + worth + valueChange);
      }),
      options,
    );
    const importOnly = { ...PLAIN, exportPrice: [] };
    const { money } = sums([record(0, 60, { imported: 1000, consumed: 1000 })], 0, 60, {
      money: importOnly,
    }).amounts;
    assert.deepEqual([money.cost, money.priced, money.exported], [0.3, 1000, undefined]);
  });

  it("finds the highest quarter of an hour that is fully covered", () => {
    const records = [record(0, 15, { imported: 500 }), record(15, 20, { imported: 900 })];
    assert.deepEqual(sums(records, 0, 20).peak, { power: 2000, start: START });
  });
});
