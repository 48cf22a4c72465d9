import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { TimedRecord } from "../../src/models/telemetry";
import type { MoneyRule } from "../../src/totals/money";
import { periodTotals, type TotalsPart } from "../../src/totals/payload";
import { calendarOf, type Split } from "../../src/site-calendar";
import { constantPrice } from "../../src/totals/prices";
import { SystemDays } from "../../src/totals/system-days";
import { casesOf } from "../support/fuzz";
import { ROOT } from "../support/package";
import type { TimeWindow } from "../../src/time-units";
import { readFrom } from "./day-service";
import { COMPLETE, record, START, withGroups } from "./energy";

const HOUR = 3_600_000;
const CALENDAR = calendarOf("UTC");
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
    read: (window: TimeWindow) => readFrom(records, window),
  };
  const rule = {
    calendar: CALENDAR,
    absent: COMPLETE,
    priority: "house" as const,
    money,
    moneyIn: async () => money,
    keyOf: async () => "",
    hasDatedPrices: false,
    split,
  };
  const begun = CALENDAR.days(span).filter(({ start }) => start < run.now);
  const days = await new SystemDays({ of: () => undefined, since: "2000-01-01" }, rule, run).read(begun);
  return periodTotals("today", span.end, days, {
    siteId: "house",
    systemId: undefined,
    calendar: CALENDAR,
    split,
    unit,
    currency: "EUR",
    now: run.now,
    money,
    absent: COMPLETE,
    isSolarUnmeasured: false,
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

  it("has the fields of its description, and parts the same", async () => {
    const whole = await totalsOf(
      hourly(24, () => ({ imported: 100, consumed: 100 })),
      { split: "hour" },
    );
    const { parts = [], ...rest } = whole;
    const fields = [
      "siteId",
      "systemId",
      "period",
      "startTime",
      "endTime",
      "until",
      "timezone",
      "energy",
      "flows",
      "share",
      "money",
      "peak",
      "quality",
    ];
    assert.deepEqual(Object.keys(rest), fields);
    for (const part of parts) assert.deepEqual(Object.keys(part), fields);
    assert.deepEqual([whole.period, parts[0]?.period, parts[0]?.timezone], ["today", "hour", "UTC"]);
    const page = readFileSync(join(ROOT, "docs/totals.md"), "utf8");
    const named = [...page.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = ""]) => cell).join();
    const groups = [rest, rest.energy, rest.flows, rest.share, rest.money, rest.quality].map(
      (one) => one ?? {},
    );
    const undocumented = groups.flatMap(Object.keys).filter((name) => !named.includes(`\`${name}\``));
    assert.deepEqual(undocumented, [], "not in the tables of docs/totals.md");
    assert.deepEqual(Object.keys(whole.quality), [
      "coverage",
      "missing",
      "estimated",
      "resets",
      "mismatch",
      "derived",
      "thirdPartySolar",
      "basis",
      "complete",
      "revision",
    ]);
  });

  it("pays for export from the battery, less what its content was worth", async () => {
    // 2 kWh of sun are stored instead of sold at 0.10: worth 0.20. 1 kWh is sold later, 1 kWh used.
    const records = [
      record(0, 60, { solar: 2000, charged: 2000, stored: 2000 }),
      record(60, 120, { discharged: 1000, exported: 1000, stored: 1000 }),
      record(120, 180, { discharged: 1000, consumed: 1000, stored: 0 }),
      record(180, 1440, {}),
    ];
    const { flows, money, share } = await totalsOf(records);
    assert.deepEqual([flows?.batteryToGrid, flows?.batteryToHome, flows?.solarToBattery], [1, 1, 2]);
    // Sun: 2 * 0.10. Battery: 1 * 0.10 sold + 1 * 0.30 saved - 0.20. Net: -0.10 + 0.50; baseline: 0.30 + 0.50.
    assert.deepEqual(
      [money?.solarSaving, money?.batterySaving, money?.net, money?.baseline, money?.saving],
      [0.2, 0.2, 0.4, 0.8, 0.4],
    );
    // The kWh used came from the battery, worth 0.10.
    assert.deepEqual([money?.effectivePrice, money?.unallocated], [0.1, 0]);
    // Nothing was exported directly.
    assert.deepEqual([share.selfConsumption, share.selfSufficiency], [100, 100]);
  });

  it("gives the rest of an empty battery's value to what it discharges next, and after a day to no one", async () => {
    // 1 kWh at 0.30 is stored; the battery then says that it is empty, and gives 0.5 kWh after all.
    const charge = record(0, 60, { imported: 1000, charged: 1000, stored: 0 });
    const soon = [charge, record(60, 120, {}), record(120, 180, { discharged: 500, consumed: 500 })];
    const { money } = await totalsOf([...soon, record(180, 1440, {})]);
    // 0.5 * 0.30 - 0.30
    assert.deepEqual([money?.batterySaving, money?.unallocated], [-0.15, 0]);
    const late = [charge, record(60, 1560, {}), record(1560, 1620, { discharged: 500, consumed: 500 })];
    const whole = await totalsOf([...late, record(1620, 2880, {})], { hours: 48 });
    assert.deepEqual([whole.money?.batterySaving, whole.money?.unallocated], [0.15, -0.3]);
  });

  it("knows what a battery holds by its state of charge if it does not say", async () => {
    // 50 % of 4 kWh are of unknown origin at first; an hour later 1 kWh from the grid is on top: a third.
    const percent = (from: number, to: number, stateOfCharge: number, told: object): TimedRecord => {
      const one = record(from, to, { stored: null, ...told });
      const storage = { ...Object(one.record.storage), stateOfCharge, totalEnergy: 4000 };
      return withGroups(one, { storage });
    };
    const records = [
      percent(0, 60, 50, {}),
      percent(60, 120, 75, { imported: 1000, charged: 1000 }),
      percent(120, 180, 0, { discharged: 3000, consumed: 3000 }),
      percent(180, 1440, 0, {}),
    ];
    const { share } = await totalsOf(records);
    assert.deepEqual([share.selfSufficiency, share.selfSufficiencyFlow], [66.666666667, 100]);
    // Half of how much is not said: what the grid has charged is still there.
    const unsaid = record(120, 180, { stored: null });
    Object.assign(Object(unsaid.record.storage), { stateOfCharge: 50 });
    const open = [
      record(0, 60, { imported: 1000, charged: 1000, stored: 1000 }),
      record(60, 120, { stored: 1000 }),
      unsaid,
      record(180, 1440, { discharged: 1000, consumed: 1000 }),
    ];
    assert.equal((await totalsOf(open)).share.selfSufficiency, 0);
  });

  it("counts conversion of a PC1 system as loss", async () => {
    // 3 kWh DC from the panels: 2 kWh AC used, 0.8 stored; 0.2 are lost.
    const { flows, money } = await totalsOf([
      record(0, 60, { solar: 3000, consumed: 2000, charged: 800, stored: 800 }),
      record(60, 1440, { stored: 800 }),
    ]);
    assert.deepEqual([flows?.loss, flows?.unexplained, flows?.solarToBattery], [0.2, 0, 0.8]);
    // baseline 0.6 - net 0 + 0.08 in the battery = 0.68 = 2 * 0.3 + 0.8 * 0.1
    assert.deepEqual([money?.saving, money?.solarSaving, money?.unallocated], [0.68, 0.68, 0]);
  });

  it("has fixed costs of a month by its days", async () => {
    // 31 days of May: a day has a 31st.
    const records = hourly(24, () => ({ imported: 1000, consumed: 1000 }));
    const { money } = await totalsOf(records, { money: { ...PRICES, fixed: 31, fixedPer: "month" } });
    assert.deepEqual([money?.fixed, money?.net], [1, 8.2]);
  });

  it("misses of a part what other parts have", async () => {
    // A null grid for an hour of the day.
    const records = hourly(24, (hour) => ({ imported: hour === 5 ? null : 100, consumed: 100 })).map(
      (one, hour) => (hour === 5 ? withGroups(one, { grid: null }) : one),
    );
    const { parts, quality } = await totalsOf(records, { split: "hour" });
    assert.deepEqual(
      [parts?.[5]?.quality.coverage, parts?.[5]?.quality.complete, parts?.[5]?.energy.imported],
      [0, false, null],
    );
    assert.deepEqual([quality.coverage < 1, parts?.[6]?.quality.coverage], [true, 1]);
  });

  it("has no percentage of the last digits by which counters that stand still may differ", async () => {
    const at = (lifetimeEnergy: number): Record<string, Record<string, number>> => ({
      solar: { lifetimeEnergy },
      grid: { lifetimeImportedEnergy: 5, lifetimeExportedEnergy: 5 },
      storage: { lifetimeChargeEnergy: 5, lifetimeDischargeEnergy: 5 },
      consumption: { lifetimeEnergy },
    });
    // Nothing is used in the hour between the records.
    const records = [record(0, 60, {}, at(0.3)), record(120, 180, {}, at(0.1 + 0.2))];
    const { parts: [, gap] = [] } = await totalsOf(records, { hours: 3, split: "hour" });
    assert.deepEqual([gap?.energy.solar, gap?.energy.consumed], [0, 0]);
    assert.deepEqual(Object.values(gap?.share ?? {}), [null, null, null, null]);
    assert.equal(gap?.money?.effectivePrice, null);
  });

  it("takes a number beyond any energy for unknown: its sums would be infinite", async () => {
    const huge = 1e308;
    const counters = { solar: { lifetimeEnergy: huge }, grid: { lifetimeImportedEnergy: huge } };
    const odd = record(0, 60, { imported: huge, solar: huge, stored: huge, consumed: 1000 }, counters);
    const others = hourly(24, () => ({ imported: 1000, consumed: 1000 })).slice(1);
    const { energy, money, peak } = await totalsOf([odd, ...others]);
    assert.deepEqual([energy.imported, energy.solar, energy.consumed], [23, 0, 24]);
    assert.deepEqual(peak, { power: 1, startTime: "2026-05-04T01:00:00Z" });
    assert.deepEqual([money?.import, money?.baseline], [6.9, 7.7]);
  });

  it("has no money without a price, and no amounts where nothing is priced", async () => {
    const records = hourly(24, () => ({ imported: 1000, consumed: 1000 }));
    assert.equal((await totalsOf(records, { money: undefined })).money, null);
    const none = { ...PRICES, importPrice: [] };
    const { money } = await totalsOf(records, { money: none });
    assert.deepEqual([money?.import, money?.net, money?.saving, money?.priced], [null, null, null, 0]);
    const half = {
      ...PRICES,
      importPrice: [{ start: START, end: START + 12 * HOUR, price: 0.3 }],
    };
    const priced = (await totalsOf(records, { money: half })).money;
    assert.deepEqual([priced?.priced, priced?.import], [0.5, 3.6]);
    // An export price that is not set, or not known.
    for (const exportPrice of [undefined, []]) {
      const importOnly = (await totalsOf(records, { money: { ...PRICES, exportPrice } })).money;
      assert.deepEqual(
        [importOnly?.import, importOnly?.baseline, importOnly?.priced, importOnly?.revenue, importOnly?.net],
        [7.2, 7.7, 1, null, null],
      );
    }
  });

  it("has no money of energy that is unknown, which is not 0", async () => {
    const money = async (told: Parameters<typeof record>[2], rule = PRICES): Promise<unknown[]> => {
      const { money: found } = await totalsOf(
        hourly(24, () => told),
        { money: rule },
      );
      return [found?.import, found?.revenue, found?.net, found?.baseline, found?.saving, found?.priced];
    };
    for (const netting of ["none", "day"] as const) {
      const rule = { ...PRICES, netting };
      const noUse = { solar: null, consumed: null, imported: 1000 };
      assert.deepEqual(await money(noUse, rule), [7.2, 0, 7.7, null, null, 1]);
      const noGrid = { imported: null, exported: null, solar: 1000, consumed: 1000 };
      assert.deepEqual(await money(noGrid, rule), [null, null, null, 7.7, null, 1]);
      const noImport = { ...noGrid, exported: 1000 };
      assert.deepEqual(await money(noImport, rule), [null, 2.4, null, 7.7, null, 1]);
    }
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

  it("nets by the month what is known of days that do not know it all", async () => {
    const noGrid = { imported: null, exported: null, solar: 1000, consumed: 1000 };
    const records = hourly(48, (hour) => (hour < 24 ? { imported: 1000, consumed: 1000 } : noGrid));
    const { money } = await totalsOf(records, { hours: 48, money: { ...PRICES, netting: "month" } });
    assert.deepEqual([money?.import, money?.revenue], [7.2, 0]);
  });

  it("splits into months, of which the first and the last may be cut", async () => {
    const records = Array.from({ length: 30 }, (_none, day) =>
      record(day * 1440, (day + 1) * 1440, day === 10 ? { imported: 2000 } : { imported: 1000 }),
    );
    const { parts, peak, money } = await totalsOf(records, { hours: 30 * 24, split: "month" });
    assert.deepEqual(
      parts?.map(({ period, startTime, endTime, energy }) => [period, startTime, endTime, energy.imported]),
      [
        ["month", "2026-05-04T00:00:00Z", "2026-06-01T00:00:00Z", 29],
        ["month", "2026-06-01T00:00:00Z", "2026-06-03T00:00:00Z", 2],
      ],
    );
    // The highest of all days, and the fixed costs of each.
    assert.deepEqual(peak, { power: 0.083333333, startTime: "2026-05-14T00:00:00Z" });
    assert.equal(money?.fixed, 15);
  });

  it("names counters that differ from the sum of the records by more than 50 Wh and 1 %", async () => {
    const mismatch = async (own: number, counted: number, hours = 24): Promise<unknown> => {
      const at = (hour: number): Parameters<typeof record>[3] => ({
        grid: { lifetimeImportedEnergy: hour * counted },
      });
      const records = Array.from({ length: hours }, (_none, hour) =>
        record(hour * 60, hour * 60 + 60, { imported: own, consumed: own }, at(hour)),
      );
      return (await totalsOf(records)).quality.mismatch;
    };
    // The counter of the first record has none before it.
    assert.deepEqual(await mismatch(1000, 1030), { imported: 23 * 0.03 });
    assert.deepEqual(await mismatch(1000, 1010), {});
    assert.deepEqual(await mismatch(10, 12), {});
    assert.deepEqual(await mismatch(1000, 1030, 20), {}, "of a day with a hole");
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
      { numRuns: casesOf(8) },
    );
  });
});
