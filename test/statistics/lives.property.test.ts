// Tests that statistics heal by themselves: whatever comes late, again, corrected, or in another order, and whatever is lost on the
// way, each hour ends with its energy.
import fc from "fast-check";
import type { TimedRecord } from "../../src/models/telemetry";
import { hourlySeries, type StatisticName, statisticId } from "../../src/statistics/series";
import { periodTotals, type TotalsPayload } from "../../src/totals/payload";
import type { TimeWindow } from "../../src/time-units";
import { calendarOf, type PeriodName } from "../../src/site-calendar";
import { constantPrice, pricesBetween, type PriceStep, withPrices } from "../../src/totals/prices";
import { type DayRun, type DayTotals, SystemDays } from "../../src/totals/system-days";
import { casesOf } from "../support/fuzz";
import { HomeAssistantStatistics } from "../support/home-assistant-statistics";
import { COMPLETE, MINUTES, record, START } from "../totals/energy";
import { readFrom } from "../totals/day-service";
import { StoredDays } from "../totals/stored-days";
import { ADDRESS, assertChanges, connected, HOUR, series, StoredOwed } from "./home";

const DAY = 24 * HOUR;
/** The evening before clocks change in Europe. */
const FIRST = Date.parse("2026-10-24T00:00:00Z");
const EXPORT_PRICE = 0.1;

interface Life {
  zone: string;
  /** Minutes of a record. */
  length: number;
  /** Wh of records, over and over. */
  energies: { solar: number; consumed: number; charged: number }[];
  /** Hours without records, and the step from which they are there. */
  late: { from: number; hours: number; step: number }[];
  steps: Step[];
}

interface Step {
  /** Hours since the step before: over a day, Node-RED was off. */
  after: number;
  prices: { from: number; hours: number; price: number }[];
  isRestart: boolean;
  /** Commands until answers are lost, and Node-RED restarts; none = it stays. */
  patience: number | null;
  version: string;
}

const LIFE: fc.Arbitrary<Life> = fc.record({
  zone: fc.constantFrom("Europe/Berlin", "UTC", "Asia/Kolkata", "America/St_Johns"),
  length: fc.constantFrom(60, 30, 15),
  energies: fc.array(
    fc.record({ solar: fc.nat(900), consumed: fc.nat(600), charged: fc.integer({ min: -200, max: 200 }) }),
    { minLength: 1, maxLength: 40 },
  ),
  late: fc.array(fc.record({ from: fc.nat(96), hours: fc.integer({ min: 1, max: 12 }), step: fc.nat(6) }), {
    maxLength: 4,
  }),
  steps: fc.array(
    fc.record({
      after: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60 })),
      prices: fc.array(
        fc.record({ from: fc.nat(120), hours: fc.integer({ min: 1, max: 48 }), price: fc.nat(100) }),
        { maxLength: 2 },
      ),
      isRestart: fc.boolean(),
      patience: fc.option(fc.nat(40)),
      version: fc.constantFrom("2025.10.1", "2026.3.0"),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** Records with lifetime counters, from a day before the life to its end. */
function recordsOf({ length, energies, steps }: Life): TimedRecord[] {
  const end = 60 * (30 + steps.reduce((sum, { after }) => sum + after, 0));
  const records: TimedRecord[] = [];
  const offset = (FIRST - START) / MINUTES;
  const sums = {
    solar: 5000,
    imported: 9000,
    exported: 100,
    charged: 700,
    discharged: 600,
    consumed: 20_000,
  };
  for (let minute = -1620, index = 0; minute < end; minute += length, index += 1) {
    const { solar = 0, consumed = 0, charged = 0 } = energies[index % energies.length] ?? {};
    const net = consumed + charged - solar;
    const told = {
      solar,
      consumed,
      charged: Math.max(charged, 0),
      discharged: Math.max(-charged, 0),
      imported: Math.max(net, 0),
      exported: Math.max(-net, 0),
    };
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += told[name];
    const counters = {
      solar: { lifetimeEnergy: sums.solar },
      grid: { lifetimeImportedEnergy: sums.imported, lifetimeExportedEnergy: sums.exported },
      storage: { lifetimeChargeEnergy: sums.charged, lifetimeDischargeEnergy: sums.discharged },
      consumption: { lifetimeEnergy: sums.consumed },
    };
    records.push(record(offset + minute, offset + minute + length, { ...told, stored: null }, counters));
  }
  return records;
}

/** Two totals nodes, for today and yesterday, whose hours go to statistics. */
class Flow {
  now = FIRST + 20 * HOUR;
  prices: readonly PriceStep[];
  visible: readonly TimedRecord[] = [];
  readonly #stored = { today: new StoredDays(), yesterday: new StoredDays() };
  readonly #calendar;
  /** Where hours begin. */
  readonly shift: number;

  constructor(zone: string) {
    this.#calendar = calendarOf(zone);
    this.shift = this.#calendar.period("today", this.now).start % HOUR;
    this.prices = [{ start: FIRST - 2 * DAY + this.shift, end: FIRST + 2 * DAY + this.shift, price: 0.3 }];
  }

  /** What the nodes send in a scheduled run. */
  async run(send: (payload: TotalsPayload, counters: unknown) => void): Promise<void> {
    for (const name of ["today", "yesterday"] as const) await this.#read(name, send);
  }

  /** The hours from the first local day that was read to the end of the newest record. */
  hours(from: number): TimeWindow[] {
    const until = this.visible.findLast(({ end }) => end <= this.now)?.end ?? 0;
    const { start } = this.#calendar.period("yesterday", from);
    const days = this.#calendar.days({ start, end: until });
    return days
      .flatMap((day) => this.#calendar.hours(day))
      .filter(
        ({ start: begin, end }) =>
          // The last day is cut: an hour that is not over is shorter.
          end < until || (end - begin === HOUR && end <= until),
      );
  }

  async #read(name: PeriodName & ("today" | "yesterday"), send: Parameters<Flow["run"]>[0]): Promise<void> {
    const calendar = this.#calendar;
    const importPrice = this.prices;
    const money = { importPrice, exportPrice: constantPrice(EXPORT_PRICE), fixed: 0, delivery: 0 };
    const rule = { ...money, fixedPer: "day", netting: "none" } as const;
    const dayRule = {
      calendar,
      absent: COMPLETE,
      priority: "house" as const,
      money: rule,
      moneyIn: async () => rule,
      keyOf: async ({ start, end }: TimeWindow) => JSON.stringify(pricesBetween(importPrice, start, end)),
      hasDatedPrices: true,
      split: "hour" as const,
    };
    const run: DayRun = {
      now: this.now,
      isByMessage: false,
      read: (window) =>
        readFrom(
          this.visible.filter(({ end }) => end <= this.now),
          window,
        ),
    };
    const span = calendar.period(name, this.now);
    const sendTotals = async (
      period: string,
      part: TimeWindow,
      totals: Awaited<ReturnType<SystemDays["read"]>>,
    ) => {
      const payload = await periodTotals(period, part.end, totals, {
        ...ADDRESS,
        calendar,
        split: "hour",
        unit: "kWh",
        currency: "EUR",
        now: this.now,
        money: rule,
        absent: COMPLETE,
        isSolarUnmeasured: false,
        present: [],
        basis: "ac",
      });
      send(
        payload,
        totals.flatMap(({ parts }) => parts.map(({ readings }) => readings)),
      );
    };
    const earlier = {
      withSkipped: name === "yesterday",
      send: (totals: DayTotals) => sendTotals("day", totals.day, [totals]),
    };
    const days = new SystemDays(this.#stored[name], dayRule, { ...run, earlier });
    const begun = calendar.days(span).filter(({ start }) => start <= this.now);
    await sendTotals(name, span, await days.read(begun));
  }
}

describe("lives of statistics", () => {
  it("ends with every hour as its records say, after outages, late records, corrected prices, restarts and lost answers", async () => {
    await fc.assert(
      fc.asyncProperty(LIFE, async (life) => {
        const records = recordsOf(life);
        const assistant = new HomeAssistantStatistics();
        const stored = new StoredOwed();
        const flow = new Flow(life.zone);
        let home = connected(assistant, stored);
        const restart = async (): Promise<void> => {
          home = connected(assistant, stored);
          await home.keeper.load();
        };
        const feed = (payload: TotalsPayload, counters: unknown): void =>
          home.keeper.add(
            hourlySeries(
              { ...payload },
              ADDRESS,
              { prefix: "energy_sites", costs: true },
              { unit: "kWh", counters },
            ),
          );
        const isLate = ({ start }: TimedRecord, step: number): boolean =>
          life.late.some(({ from, hours, step: until }) => {
            const begin = FIRST + from * HOUR;
            return step < until && start >= begin && start < begin + hours * HOUR;
          });
        const first = flow.now + (life.steps[0]?.after ?? 0) * HOUR;
        for (const [index, step] of life.steps.entries()) {
          flow.now += step.after * HOUR;
          flow.visible = records.filter((one) => !isLate(one, index));
          assistant.version = step.version;
          for (const { from, hours, price } of step.prices) {
            // Prices change with the hours of the zone.
            const start = FIRST - DAY + from * HOUR + flow.shift;
            flow.prices = withPrices(flow.prices, [{ start, end: start + hours * HOUR, price: price / 100 }]);
          }
          if (step.isRestart) await restart();
          await flow.run(feed);
          const stop = new AbortController();
          // What was written is written, and its answer is lost.
          home.lose(step.patience ?? Infinity, () => stop.abort());
          await home.keeper.write(stop.signal).catch(() => undefined);
          if (stop.signal.aborted) await restart();
        }
        home.lose(Infinity, () => undefined);
        flow.visible = records;
        for (let hour = 0; hour < 3; hour += 1) {
          flow.now += 2 * HOUR;
          await flow.run(feed);
        }
        await home.keeper.write(new AbortController().signal);
        assertHours(assistant, flow, first);
      }),
      { numRuns: casesOf(2) },
    );
  }).timeout(casesOf(2) * 60_000);

  it("ends with the last energy of every hour, in whatever order they come", async () => {
    const update = fc.record({
      // Within two months, so that there are gaps, and rows before and behind them.
      from: fc.nat(1400),
      energies: fc.array(fc.nat(5000), { minLength: 1, maxLength: 30 }),
      isRestart: fc.boolean(),
      // Commands until Home Assistant refuses everything, and Node-RED restarts; none = it stays.
      patience: fc.option(fc.nat(8)),
      version: fc.constantFrom("2025.10.1", "2026.3.0"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(update, { minLength: 1, maxLength: 8 }), async (updates) => {
        const assistant = new HomeAssistantStatistics();
        const stored = new StoredOwed();
        const expected = new Map<number, number>();
        let home = connected(assistant, stored);
        const restart = async (): Promise<void> => {
          home = connected(assistant, stored);
          await home.keeper.load();
        };
        for (const { from, energies, isRestart, patience, version } of updates) {
          if (isRestart) await restart();
          assistant.version = version;
          const hours = energies.map((energy, index): [number, number] => [from + index, energy]);
          for (const [hour, energy] of hours) expected.set(hour, energy);
          home.keeper.add([series(hours)]);
          const stop = new AbortController();
          // What was written is written, and its answer is lost.
          home.lose(patience ?? Infinity, () => stop.abort());
          await home.keeper.write(stop.signal).catch(() => undefined);
          if (stop.signal.aborted) await restart();
        }
        home.lose(Infinity, () => undefined);
        await home.keeper.write(new AbortController().signal);
        assertChanges(assistant, expected);
      }),
      { numRuns: casesOf(6) },
    );
  });
});

/** Each hour has the energy and the money of its records, and all of them what the counters have risen by. */
function assertHours(assistant: HomeAssistantStatistics, flow: Flow, first: number): void {
  const prices = flow.prices;
  const expected = { solar: new Map(), imported: new Map(), exported: new Map(), cost: new Map() };
  const compensation = new Map<number, number>();
  for (const hour of flow.hours(first)) {
    const start = Math.floor(hour.start / HOUR) * HOUR;
    const found = flow.visible.filter((one) => one.start < hour.end && one.end > hour.start);
    const sum = (group: "solar" | "grid", field: string): number =>
      found.reduce((all, one) => {
        const share = Math.min(one.end, hour.end) - Math.max(one.start, hour.start);
        return all + (Number(Object(one.record[group])[field]) * share) / (one.end - one.start);
      }, 0);
    const [imported, exported] = [sum("grid", "importedEnergy"), sum("grid", "exportedEnergy")];
    expected.solar.set(start, sum("solar", "energy"));
    expected.imported.set(start, imported);
    expected.exported.set(start, exported);
    const [{ price } = { price: undefined }] = pricesBetween(prices, hour.start, hour.end);
    // Where import has no price, no amount is known.
    if (price === undefined) continue;
    expected.cost.set(start, (imported / 1000) * price);
    compensation.set(start, (exported / 1000) * EXPORT_PRICE);
  }
  for (const [quantity, energies] of Object.entries({ ...expected, compensation }))
    assertChanges(assistant, energies, statisticId("energy_sites", ADDRESS, quantity as StatisticName), 0);
}
