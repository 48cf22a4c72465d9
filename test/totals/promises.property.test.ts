// Property tests of what totals promise for any records: percentages and flows that can be, an account that closes, days of any
// length, and the same final numbers whatever the order in which records come, and whatever restarts in between.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TimedRecord } from "../../src/models/telemetry";
import { HOUR, MINUTE, type TimeWindow } from "../../src/time-units";
import { intervalsOf } from "../../src/totals/balance";
import type { MoneyRule } from "../../src/totals/money";
import { periodTotals, type TotalsPart, type TotalsPayload } from "../../src/totals/payload";
import { calendarOf, type Split } from "../../src/site-calendar";
import { constantPrice } from "../../src/totals/prices";
import { type DayTotals, SystemDays } from "../../src/totals/system-days";
import { traceEnergy } from "../../src/totals/trace";
import { casesOf } from "../support/fuzz";
import { COMPLETE, record, START } from "./energy";
import { readFrom } from "./day-service";
import { StoredDays } from "./stored-days";

const MONEY: MoneyRule = {
  importPrice: constantPrice(0.3),
  exportPrice: constantPrice(-0.02),
  fixed: 0.4,
  fixedPer: "day",
  netting: "none",
  delivery: 0.05,
};

/** Energies that need not balance, some unknown. */
const energy = fc.option(fc.nat(2000), { freq: 12 });
const told = fc.record({
  solar: energy,
  imported: energy,
  exported: energy,
  charged: energy,
  discharged: energy,
  consumed: energy,
  stored: fc.option(fc.nat(9000), { freq: 6 }),
});

interface Reading {
  now?: number;
  split?: Split;
  netting?: MoneyRule["netting"];
  stored?: StoredDays;
}

/** What a node with this memory sends for a span, with the days before it that have changed. */
async function read(
  records: readonly TimedRecord[],
  zone: string,
  span: TimeWindow,
  { now = span.end, split = "none", netting = "none", stored = new StoredDays() }: Reading = {},
): Promise<{ payload: TotalsPayload; days: DayTotals[]; sent: DayTotals[] }> {
  const calendar = calendarOf(zone);
  const sent: DayTotals[] = [];
  const money = { ...MONEY, netting };
  const rule = { calendar, absent: COMPLETE, priority: "house" as const, money, split };
  const system = new SystemDays(
    stored,
    { ...rule, moneyIn: async () => money, keyOf: async () => "", hasDatedPrices: false },
    {
      now,
      isByMessage: false,
      read: (window) =>
        readFrom(
          records.filter(({ end }) => end <= now),
          window,
        ),
      earlier: { withSkipped: true, send: (one) => Promise.resolve(sent.push(one)) },
    },
  );
  const days = await system.read(calendar.days(span).filter(({ start }) => start < now));
  const payload = await periodTotals("message", span.end, days, {
    siteId: "house",
    systemId: undefined,
    unit: "Wh",
    currency: "EUR",
    now,
    isSolarUnmeasured: false,
    present: [],
    basis: null,
    ...rule,
  });
  return { payload, days, sent };
}

function assertNear(one: number | null | undefined, other: number | null | undefined, what: string): void {
  if (typeof one !== "number" || typeof other !== "number") assert.equal(one, other, what);
  else assert.ok(Math.abs(one - other) < 1e-6, `${what}: ${one} is not ${other}`);
}

/** All numbers of a payload, by their path. */
function numbersOf(value: unknown, path = ""): [path: string, value: number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => numbersOf(one, `${path}.${name}`));
}

describe("promises of totals", () => {
  it("has no number that is none, no negative flow and no percentage beyond 0 to 100, whatever records say", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 24 }), async (steps) => {
        const records = steps.map((step, hour) => record(hour * 60, hour * 60 + 60, step));
        const { payload } = await read(
          records,
          "UTC",
          { start: START, end: START + 24 * HOUR },
          { split: "hour" },
        );
        for (const part of [payload, ...(payload.parts ?? [])]) {
          for (const [path, value] of numbersOf(part)) assert.ok(Number.isFinite(value), path);
          for (const value of Object.values(part.flows ?? {})) assert.ok(value >= 0);
          for (const value of Object.values(part.energy)) assert.ok(value === null || value >= 0);
          for (const value of Object.values(part.share))
            assert.ok(value === null || (value >= 0 && value <= 100));
          assert.ok(part.quality.coverage >= 0 && part.quality.coverage <= 1);
        }
        // What no record says is unknown, never 0; in an hour, too.
        for (const name of ["solar", "imported", "charged"] as const) {
          const isKnown = steps.some((step) => step[name] !== null);
          assert.equal(payload.energy[name] !== null, isKnown, name);
          for (const [hour, step] of steps.entries())
            assertNear(payload.parts?.[hour]?.energy[name], step[name], `${name} of hour ${hour}`);
        }
        const isTraced = (step: (typeof steps)[number]): boolean =>
          [step.solar, step.imported, step.exported, step.charged, step.discharged].every(
            (one) => one !== null,
          );
        for (const [hour, step] of steps.entries())
          assert.equal(payload.parts?.[hour]?.flows !== null, isTraced(step), `flows of hour ${hour}`);
      }),
      { numRuns: casesOf(12) },
    );
  });

  it("keeps an account of the battery that closes with what it holds", () => {
    fc.assert(
      fc.property(fc.array(told, { minLength: 1, maxLength: 40 }), (steps) => {
        for (let count = 1; count <= steps.length; count += 1) {
          const records = steps.slice(0, count).map((step, index) => record(index * 5, index * 5 + 5, step));
          const always = { start: -Infinity, end: Infinity };
          const rule = { priority: "house", money: MONEY } as const;
          const account = traceEnergy(intervalsOf(records, COMPLETE), undefined, always, rule);
          const { solar = 0, grid = 0, unknown = 0 } = account ?? {};
          assert.ok(Math.min(solar, grid, unknown) >= 0);
          const stored = steps[count - 1]?.stored ?? null;
          if (stored !== null) assertNear(solar + grid + unknown, stored, "content");
        }
      }),
      { numRuns: casesOf(20) },
    );
  });

  for (const [zone, day, hours] of [
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["Asia/Kolkata", "2026-05-04", 24],
  ] as const)
    it(`adds up over the hours of ${day} in ${zone}, which has ${hours}, and over the days beside it`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(told, { minLength: 10, maxLength: 30 }), async (steps) => {
          const calendar = calendarOf(zone);
          const whole = calendar.period("today", Date.parse(`${day}T04:00:00Z`));
          assert.equal((whole.end - whole.start) / HOUR, hours);
          const span = { start: whole.start - 24 * HOUR, end: whole.end + 24 * HOUR };
          const first = (span.start - START) / MINUTE;
          const records = Array.from(
            { length: ((span.end - span.start) / MINUTE - 10) / 35 },
            (_none, index) =>
              record(first + index * 35, first + index * 35 + 35, steps[index % steps.length] ?? {}),
          );
          for (const split of ["hour", "day"] as const) {
            const { payload } = await read(records, zone, span, { split, netting: "60" });
            const parts = payload.parts ?? [];
            const lengths = parts.map(
              ({ startTime, endTime }) => Date.parse(endTime) - Date.parse(startTime),
            );
            assert.equal(
              lengths.reduce((sum, length) => sum + length, 0),
              span.end - span.start,
            );
            const assertSum = (of: (part: TotalsPart) => Record<string, unknown> | null): void => {
              for (const [name, value] of Object.entries(of(payload) ?? {})) {
                if (typeof value !== "number") continue;
                const told = parts.map((part) => of(part)?.[name] ?? null);
                // Of an hour without the use, or without the grid, the saving is unknown.
                if (name === "saving" && told.includes(null)) continue;
                const values = told.map(Number);
                assertNear(
                  values.reduce((sum, one) => sum + one, 0),
                  value,
                  `${split}: ${name}`,
                );
              }
            };
            assertSum(({ energy: energies }) => energies);
            assertSum(({ flows }) => flows && { ...flows });
            assertSum(
              ({ money }) => money && { import: money.import, fixed: money.fixed, saving: money.saving },
            );
          }
        }),
        { numRuns: casesOf(2) },
      );
    });

  it("ends with the same numbers in whatever order records come, with a restart before each run", async () => {
    // What the battery holds stays long enough to matter days later.
    const slow = { charged: fc.nat(300), discharged: fc.nat(40), stored: fc.constant(null) };
    const steady = fc.record({
      solar: energy,
      imported: fc.nat(2000),
      exported: fc.nat(500),
      consumed: fc.nat(2000),
      ...slow,
    });
    const late = fc.record({ from: fc.nat(70), hours: fc.integer({ min: 1, max: 30 }), run: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(steady, { minLength: 72, maxLength: 72 }),
        fc.array(late, { maxLength: 4 }),
        async (steps, lates) => {
          const records = steps.map((step, hour) => record(hour * 60, hour * 60 + 60, step));
          const isLate = ({ start }: TimedRecord, run: number): boolean =>
            lates.some(({ from, hours, run: until }) => {
              const begin = START + from * HOUR;
              return run < until && start >= begin && start < begin + hours * HOUR;
            });
          const stored = new StoredDays();
          const calendar = calendarOf("UTC");
          const last = new Map<string, DayTotals>();
          // Every 13 hours until all are there, and a day after that.
          for (let run = 0; run < 10; run += 1) {
            const now = START + (25 + run * 13) * HOUR;
            const visible = records.filter((one) => !isLate(one, run));
            const { days, sent } = await read(visible, "UTC", calendar.period("yesterday", now), {
              now,
              stored,
            });
            for (const one of [...sent, ...days]) last.set(one.day.date, one);
          }
          const { days } = await read(records, "UTC", { start: START, end: START + 72 * HOUR });
          for (const { day, sums } of days) {
            const found = last.get(day.date)?.sums.amounts;
            for (const group of ["energy", "flows", "use", "money", "covered"] as const)
              for (const [name, value] of Object.entries(sums.amounts[group])) {
                const amount = Object.entries(found?.[group] ?? {}).find(([known]) => known === name)?.[1];
                assert.ok(
                  Math.abs((amount ?? 0) - value) < 1e-3,
                  `${day.date} ${group}.${name}: ${amount} is not ${value}`,
                );
              }
          }
        },
      ),
      { numRuns: casesOf(6) },
    );
  });
});
