// The object that totals sends for a period, whole and in parts: energy, flows, percentages and money, each with how sure it is.
import { inTurns } from "../loop-turns";
import { byName, groupedBy, mapValues } from "../objects";
import type { SeriesAddress } from "../series/identity";
import { cut } from "../site-calendar";
import { HOUR } from "../time-units";
import type { DayRule } from "./day-sums";
import { FLOWS, type Flows, GROUPS, QUANTITIES, type Quantity, SOURCES, type SystemFacts } from "./energies";
import { LEAST_ENERGY, type Money, moneyOf, rounded } from "./period-money";
import { hasFlows, joinedSums, type Sums } from "./sums";
import type { DayTotals } from "./system-days";

/** Percentages, 0 to 100; null without a denominator, or where energies are unknown. */
export interface Shares {
  /** (solar - solarToGrid) / solar */
  selfConsumption: number | null;
  /** (solarToHome + the part of batteryToHome that is not from the grid) / consumed */
  selfSufficiency: number | null;
  /** 1 - imported / consumed */
  selfSufficiencyGrid: number | null;
  /** 1 - gridToHome / consumed: what the battery gave counts as own, wherever it came from. */
  selfSufficiencyFlow: number | null;
}

export interface Quality {
  /** Time covered by records, 0 to 1. */
  coverage: number;
  missing: { startTime: string; endTime: string }[];
  /** Energy between records, known from counters alone. */
  estimated: Partial<Record<Quantity, number>>;
  /** Counters that fell, or rose too far: that step is not counted. */
  resets: { quantity: Quantity; at: string }[];
  /** By how much the counters differ from the sum of the records. */
  mismatch: Partial<Record<Quantity, number>>;
  /** Energy used that was computed from the rest. */
  derived: number;
  thirdPartySolar: number | null;
  basis: "ac" | "mixed" | null;
  /** Everything measured, nothing estimated. */
  complete: boolean;
  /** Rises when a period that was sent before comes again with other numbers. */
  revision: number;
}

/** Energies in the unit of the node. */
export interface TotalsPart {
  siteId: string;
  systemId: string | undefined;
  /** As the node is set; of a part: `hour`, `day` or `month`. */
  period: string;
  startTime: string;
  endTime: string;
  /** The end of the last record; endTime once the period is over. */
  until: string;
  timezone: string;
  energy: Record<Quantity, number | null>;
  flows: Flows | null;
  share: Shares;
  money: Money | null;
  /** The highest mean power of a quarter of an hour, in kW or W. */
  peak: { power: number; startTime: string } | null;
  quality: Quality;
}

export interface TotalsPayload extends TotalsPart {
  parts?: TotalsPart[];
}

export interface PayloadRule
  extends SystemFacts, SeriesAddress, Pick<DayRule, "calendar" | "split" | "money"> {
  readonly unit: "kWh" | "Wh";
  readonly currency: string;
  readonly now: number;
}

/** A period, or a part of it. */
interface Piece {
  readonly period: string;
  /** In milliseconds, which may be in the future. */
  readonly end: number;
  /** What it consists of, as far as it is over: an hour, or days, for netting over months and years. */
  readonly days: readonly { readonly sums: Sums; readonly revision: number }[];
}

/** How late records become readable at most, in milliseconds: until then, nothing is missing at the end of a period that runs. */
export const LATEST = 3 * HOUR;

/** The larger one counts. */
const MISMATCH_WH = 50;
const MISMATCH_SHARE = 0.01;

/** The whole period, to `end`, with its parts. `days` in order, at least one. */
export async function periodTotals(
  period: string,
  end: number,
  days: readonly DayTotals[],
  rule: PayloadRule,
): Promise<TotalsPayload> {
  const { covered } = joinedSums(days.map(({ sums }) => sums)).amounts;
  // What a part lacks, it misses.
  const present = GROUPS.filter((group) => rule.present.includes(group) || covered[group] !== undefined);
  const shared = { ...rule, present };
  const payload = partOf({ period, end, days }, shared);
  if (rule.split === "none") return payload;
  const parts: TotalsPart[] = [];
  // A year has 8,760 hours.
  await inTurns(piecesOf(days, end, rule), (piece) => void parts.push(partOf(piece, shared)));
  return { ...payload, parts };
}

function piecesOf(days: readonly DayTotals[], end: number, { calendar, split }: PayloadRule): Piece[] {
  if (split === "hour")
    return days.flatMap(({ parts, revision }) =>
      parts.map((sums) => ({ period: split, end: sums.whole.end, days: [{ sums, revision }] })),
    );
  if (split === "day") return days.map((one) => ({ period: split, end: one.day.end, days: [one] }));
  const months = groupedBy(days, ({ day }) => Math.min(calendar.period("month", day.start).end, end));
  return [...months].map(([until, month]) => ({ period: split, end: until, days: month }));
}

function partOf({ period, end, days }: Piece, rule: PayloadRule): TotalsPart {
  const { unit, calendar } = rule;
  const each = knownDays(days, rule.now);
  const sums = joinedSums(each);
  const iso = (time: number): string => calendar.iso(time);
  const inUnit = (energy: number): number => rounded(energy / (unit === "kWh" ? 1000 : 1));
  const coverage = coverageOf(sums, rule);
  const { amounts, peak } = sums;
  const { energy, flows, estimated, inferred } = amounts;
  const unmeasured = rule.isSolarUnmeasured ? inferred.solar : undefined;
  return {
    siteId: rule.siteId,
    systemId: rule.systemId,
    period,
    startTime: iso(sums.start),
    endTime: iso(end),
    until: iso(sums.end),
    timezone: calendar.zone,
    energy: byName(QUANTITIES, (quantity) => {
      const value = energy[quantity];
      // Equipment that is absent counts as 0 in the balance alone.
      const isAbsent = rule.absent.has(SOURCES[quantity].group) && value === 0;
      return value === undefined || isAbsent ? null : inUnit(value);
    }),
    flows: hasFlows(sums) ? byName(FLOWS, (name) => inUnit(flows[name] ?? 0)) : null,
    share: sharesOf(sums),
    money: moneyOf(sums, each, rule.money, rule),
    peak: peak && { power: inUnit(peak.power), startTime: iso(peak.start) },
    quality: {
      coverage: rounded(coverage),
      missing: sums.missing.map((span) => ({ startTime: iso(span.start), endTime: iso(span.end) })),
      estimated: mapValues(estimated, inUnit),
      resets: sums.resets.map(({ quantity, at }) => ({ quantity, at: iso(at) })),
      mismatch: coverage === 1 ? mapValues(mismatchOf(sums), inUnit) : {},
      derived: inUnit(inferred.consumption ?? 0),
      thirdPartySolar: unmeasured === undefined ? null : inUnit(Math.max(0, unmeasured)),
      basis: rule.basis,
      complete: coverage === 1 && Object.keys(estimated).length === 0,
      revision: days.reduce((sum, day) => sum + day.revision - 1, 1),
    },
  };
}

/** Of a period that runs, and whose last day has no record yet: up to the last one of the day before. */
function knownDays(all: Piece["days"], now: number): readonly Sums[] {
  const days = all.map(({ sums }) => sums);
  const [before, last] = days.slice(-2);
  const hole = before?.missing.at(-1);
  if (!before || !last || last.end > last.start) return days;
  if (hole?.end !== before.end || now - hole.start >= LATEST) return days;
  const known = cut(before, { start: before.start, end: hole.start });
  return [...days.slice(0, -2), { ...known, missing: before.missing.slice(0, -1) }];
}

/** The least of the groups that the system has. */
function coverageOf({ amounts: { covered }, start, end }: Sums, { present }: PayloadRule): number {
  if (end <= start || present.length === 0) return 0;
  const times = present.map((group) => covered[group] ?? 0);
  // Sums of shares of time may differ from the whole by less than a millisecond.
  return Math.min(1, Math.round(Math.min(...times)) / (end - start));
}

function mismatchOf({ amounts: { energy, own } }: Sums): Partial<Record<Quantity, number>> {
  const mismatch: Partial<Record<Quantity, number>> = {};
  for (const quantity of QUANTITIES) {
    const [counted, summed] = [energy[quantity], own[quantity]];
    if (counted === undefined || summed === undefined) continue;
    if (Math.abs(counted - summed) > Math.max(MISMATCH_WH, MISMATCH_SHARE * summed))
      mismatch[quantity] = counted - summed;
  }
  return mismatch;
}

function sharesOf(sums: Sums): Shares {
  const { energy, flows, use } = sums.amounts;
  const { imported, consumed } = energy;
  const { solar = 0, used = 0, ownUsed = 0 } = use;
  const { solarToGrid = 0, gridToHome = 0 } = flows;
  const traced = (part: number, whole: number): number | null =>
    hasFlows(sums) ? percent(part, whole) : null;
  return {
    selfConsumption: traced(solar - solarToGrid, solar),
    selfSufficiency: traced(ownUsed, used),
    selfSufficiencyGrid:
      imported === undefined || consumed === undefined ? null : percent(consumed - imported, consumed),
    selfSufficiencyFlow: traced(used - gridToHome, used),
  };
}

function percent(part: number, whole: number): number | null {
  return whole >= LEAST_ENERGY ? rounded(100 * Math.min(1, Math.max(0, part / whole))) : null;
}
