import assert from "node:assert/strict";
import fc from "fast-check";
import type { TimedRecord } from "../../src/models/telemetry";
import type { MoneyRule } from "../../src/totals/money";
import type { TotalsPart } from "../../src/totals/payload";
import { SiteCalendar, type Split } from "../../src/totals/period";
import { constantPrice, priceSteps } from "../../src/totals/prices";
import { SystemDays } from "../../src/totals/system-days";
import { periodTotals } from "../../src/totals/totals";
import { casesOf, FUZZ_SEED } from "../support/fuzz";
import { COMPLETE, record, START } from "./energy";

const HOUR = 3_600_000;
const CALENDAR = new SiteCalendar("UTC");
const PRICES: MoneyRule = {
  importPrice: constantPrice(0.3),
  exportPrice: constantPrice(0.1),
  fixed: 0.5,
  fixedPer: "day",
  netting: "none",
  delivery: 0,
};

interface Asked {
  hours?: number;
  now?: number;
  split?: Split;
  money?: MoneyRule | undefined;
  unit?: "kWh" | "Wh";
}

async function totalsOf(
  records: readonly TimedRecord[],
  { hours = 24, now = hours, split = "none", unit = "kWh", ...asked }: Asked = {},
): Promise<TotalsPart & { parts?: TotalsPart[] }> {
  const money = "money" in asked ? asked.money : PRICES;
  const span = { start: START, end: START + hours * HOUR };
  const run = {
    now: START + now * HOUR,
    isByMessage: false,
    read: ({ start, end }: { start: number; end: number }) =>
      Promise.resolve(records.filter((one) => one.start < end && one.end > start)),
    ...(split === "hour" && { partsOf: CALENDAR.hours.bind(CALENDAR) }),
  };
  const systemDays = new SystemDays(() => undefined);
  const rule = {
    equipment: COMPLETE,
    priority: "house" as const,
    money,
    keyOf: () => "",
    hasDatedPrices: false,
  };
  const days = [];
  let begin = undefined;
  for (const day of CALENDAR.days(span)) {
    if (day.start >= run.now) break;
    const { totals, next } = await systemDays.totals(day, begin, rule, run);
    begin = next;
    days.push(totals);
  }
  const { equipment } = rule;
  return periodTotals(span, days, {
    calendar: CALENDAR,
    split,
    unit,
    currency: "EUR",
    money,
    equipment,
    present: ["grid", "solar", "consumption", "storage"],
    basis: "ac",
  });
}

const hourly = (count: number, told: (hour: number) => Parameters<typeof record>[2]): TimedRecord[] =>
  Array.from({ length: count }, (_none, hour) => record(hour * 60, hour * 60 + 60, told(hour)));

describe("totals of a period", () => {
  it("works out a plain day", async () => {
    // 10 h without sun: 1 kWh used from the grid. 10 h with 3 kWh: 1 used, 2 sold. 4 h without sun.
    const records = hourly(24, (hour) =>
      hour >= 10 && hour < 20
        ? { solar: 3000, consumed: 1000, exported: 2000 }
        : { imported: 1000, consumed: 1000 },
    );
    const { energy, flows, share, money, quality } = await totalsOf(records);
    assert.deepEqual(energy, {
      solar: 30,
      imported: 14,
      exported: 20,
      charged: 0,
      discharged: 0,
      consumed: 24,
    });
    assert.deepEqual([flows?.solarToHome, flows?.solarToGrid, flows?.gridToHome], [10, 20, 14]);
    // 10 of 30 kept; 10 of 24 own.
    assert.deepEqual(share, {
      selfConsumption: 33.333333333,
      selfSufficiency: 41.666666667,
      selfSufficiencyGrid: 41.666666667,
      selfSufficiencyFlow: 41.666666667,
    });
    // 14 * 0.3 + 0.5 = 4.70, less 20 * 0.1 = 2.00. Without solar: 24 * 0.3 + 0.5 = 7.70.
    assert.deepEqual(money, {
      currency: "EUR",
      import: 4.2,
      revenue: 2,
      fixed: 0.5,
      net: 2.7,
      baseline: 7.7,
      saving: 5,
      solarSaving: 5,
      batterySaving: 0,
      // (14 * 0.3 + 10 * 0.1) / 24
      effectivePrice: 0.216666667,
      unallocated: 0,
      priced: 1,
    });
    assert.deepEqual(
      [quality.coverage, quality.complete, quality.missing, quality.revision],
      [1, true, [], 1],
    );
  });

  it("tells the three self-sufficiencies apart after a night charge", async () => {
    // 2 h at night: 1 kWh from the grid into the battery. 2 h later: 1 kWh from it to the house.
    const records = [
      ...hourly(2, (hour) => ({ imported: 1000, charged: 1000, stored: 1000 * (hour + 1) })),
      record(120, 180, { discharged: 1000, consumed: 1000, stored: 1000 }),
      record(180, 240, { discharged: 1000, consumed: 1000, stored: 0 }),
      record(240, 1440, {}),
    ];
    const { share } = await totalsOf(records);
    assert.deepEqual(
      [share.selfSufficiency, share.selfSufficiencyGrid, share.selfSufficiencyFlow],
      [0, 0, 100],
    );
  });

  it("has no money without a price, and no amounts where nothing is priced", async () => {
    const records = hourly(24, () => ({ imported: 1000, consumed: 1000 }));
    assert.equal((await totalsOf(records, { money: undefined })).money, null);
    const none = { ...PRICES, importPrice: priceSteps([]) };
    const { money } = await totalsOf(records, { money: none });
    assert.deepEqual([money?.import, money?.net, money?.saving, money?.priced], [null, null, null, 0]);
    const half = {
      ...PRICES,
      importPrice: priceSteps([{ start: START, end: START + 12 * HOUR, price: 0.3 }]),
    };
    const priced = (await totalsOf(records, { money: half })).money;
    assert.deepEqual([priced?.priced, priced?.import], [0.5, 3.6]);
    const importOnly = (await totalsOf(records, { money: { ...PRICES, exportPrice: undefined } })).money;
    assert.deepEqual([importOnly?.import, importOnly?.revenue, importOnly?.net], [7.2, null, null]);
  });

  it("nets by the month over all days of it, and adds what delivery costs", async () => {
    const records = hourly(48, (hour) =>
      hour < 24 ? { imported: 1000, consumed: 1000 } : { solar: 500, exported: 500 },
    );
    const money = { ...PRICES, fixed: 0, netting: "month" as const, delivery: 0.05 };
    const whole = await totalsOf(records, { hours: 48, money, split: "day" });
    // 24 kWh in, 12 kWh out: 12 kWh to pay, and the delivery of 24.
    assert.deepEqual([whole.money?.import, whole.money?.revenue], [4.8, 0]);
    assert.deepEqual(
      whole.parts?.map((part) => [part.money?.import, part.money?.revenue]),
      [
        [8.4, 0],
        [0, 1.2],
      ],
    );
  });

  it("ends a running period with its last record, and keeps the end of the period", async () => {
    const { startTime, endTime, until, quality, money } = await totalsOf(
      hourly(6, () => ({ imported: 500, consumed: 500 })),
      { now: 6.4 },
    );
    assert.deepEqual(
      [startTime, endTime, until],
      ["2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z", "2026-05-04T06:00:00Z"],
    );
    assert.equal(quality.coverage, 1);
    // A quarter of a day.
    assert.equal(money?.fixed, 0.125);
  });

  it("says what is missing of a day, and that it is not complete", async () => {
    const records = hourly(24, () => ({ imported: 100, consumed: 100 })).filter((_one, hour) => hour !== 5);
    const { quality, energy } = await totalsOf(records, { unit: "Wh" });
    assert.equal(quality.coverage, Math.round((23 / 24) * 1e9) / 1e9);
    assert.deepEqual(quality.missing, [
      { startTime: "2026-05-04T05:00:00Z", endTime: "2026-05-04T06:00:00Z" },
    ]);
    assert.equal(quality.complete, false);
    assert.equal(energy.imported, 2300);
  });

  it("adds up over hours and days, whatever is missing", async () => {
    const step = fc.record({
      solar: fc.nat(3000),
      imported: fc.nat(3000),
      exported: fc.nat(2000),
      consumed: fc.nat(3000),
      charged: fc.nat(1000),
      discharged: fc.nat(1000),
      stored: fc.nat(9000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 48, maxLength: 48 }),
        fc.uniqueArray(fc.nat(47), { maxLength: 6 }),
        async (steps, gone) => {
          const records = hourly(48, (hour) => steps[hour] ?? {}).filter(
            (_one, hour) => !gone.includes(hour),
          );
          const byHour = await totalsOf(records, { hours: 48, split: "hour" });
          const byDay = await totalsOf(records, { hours: 48, split: "day" });
          for (const { parts = [], energy, flows, money } of [byHour, byDay]) {
            assert.equal(parts.length, parts === byHour.parts ? 48 : 2);
            const sum = (of: (part: TotalsPart) => number | null | undefined): number =>
              parts.reduce((all, part) => all + (of(part) ?? 0), 0);
            assert.ok(Math.abs(sum((part) => part.energy.imported) - (energy.imported ?? 0)) < 1e-6);
            assert.ok(
              Math.abs(sum((part) => part.flows?.batteryToHome) - (flows?.batteryToHome ?? 0)) < 1e-6,
            );
            assert.ok(Math.abs(sum((part) => part.money?.import) - (money?.import ?? 0)) < 1e-6);
            assert.ok(Math.abs(sum((part) => part.money?.saving) - (money?.saving ?? 0)) < 1e-6);
          }
          for (const share of Object.values(byHour.share))
            assert.ok(share === null || (share >= 0 && share <= 100));
        },
      ),
      { seed: FUZZ_SEED, numRuns: casesOf(15) },
    );
  });
});
