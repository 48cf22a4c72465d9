// Builds records for tests of totals, and sums them up as the node does.
import type { TelemetryRecord, TimedRecord } from "../../src/models/telemetry";
import { type Interval, intervalsOf } from "../../src/totals/balance";
import type { Group, SolarPriority } from "../../src/totals/energies";
import type { BatteryAccount } from "../../src/totals/trace";
import { type MoneyRule, MoneySum } from "../../src/totals/money";
import { calendarOf, type Part } from "../../src/site-calendar";
import { type Sums, sumsOf } from "../../src/totals/sums";
import { traceEnergy } from "../../src/totals/trace";

export const MINUTES = 60_000;
export const START = Date.parse("2026-05-04T00:00:00Z");

/** Wh of one record, and what is in the battery at its end. */
export interface Told {
  solar?: number | null;
  imported?: number | null;
  exported?: number | null;
  charged?: number | null;
  discharged?: number | null;
  consumed?: number | null;
  stored?: number | null;
}

/** No group is absent. */
export const COMPLETE: ReadonlySet<Group> = new Set();

/** A record from `from` to `to` minutes after START. */
export function record(
  from: number,
  to: number,
  told: Told,
  counters: Record<string, Record<string, number>> = {},
): TimedRecord {
  const {
    solar = 0,
    imported = 0,
    exported = 0,
    charged = 0,
    discharged = 0,
    consumed = 0,
    stored = 0,
  } = told;
  const [start, end] = [START + from * MINUTES, START + to * MINUTES];
  const content: TelemetryRecord = {
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
    solar: solar === null ? null : { energy: solar, ...counters["solar"] },
    grid: { importedEnergy: imported, exportedEnergy: exported, ...counters["grid"] },
    storage: {
      chargeEnergy: charged,
      dischargeEnergy: discharged,
      remainingEnergy: stored,
      ...counters["storage"],
    },
    consumption: { energy: consumed, ...counters["consumption"] },
  };
  return { record: content, start, end };
}

/** The same record with other groups. */
export function withGroups(
  { record, start, end }: TimedRecord,
  groups: Partial<TelemetryRecord>,
): TimedRecord {
  return { record: { ...record, ...groups }, start, end };
}

export interface Summing {
  absent?: ReadonlySet<Group>;
  account?: BatteryAccount;
  priority?: SolarPriority;
  money?: MoneyRule;
}

export function trace(
  records: readonly TimedRecord[],
  { absent = COMPLETE, account, priority = "house", money }: Summing = {},
): { intervals: readonly Interval[]; account: BatteryAccount | undefined } {
  const intervals = intervalsOf(records, absent);
  const always = { start: -Infinity, end: Infinity };
  return { intervals, account: traceEnergy(intervals, account, always, { priority, money }) };
}

/** A part from `from` to `to` minutes after START, as a share of a day of 24 hours. */
function part(from: number, to: number): Part {
  const days = (to - from) / 1440;
  return { start: START + from * MINUTES, end: START + to * MINUTES, days };
}

export function sums(
  records: readonly TimedRecord[],
  from: number,
  to: number,
  summing: Summing = {},
  zone = "UTC",
): Sums {
  const { money } = summing;
  const moneySum = money && new MoneySum(money, calendarOf(zone));
  return sumsOf(part(from, to), trace(records, summing).intervals, moneySum);
}
