// The object that totals sends for a period, whole and in parts: energy, flows, percentages and money, each with how sure it is.
import { inTurns } from "../loop-turns";
import { byName, mapValues } from "../objects";
import type { SeriesAddress } from "../series/identity";
import { FLOWS, type Flows, GROUPS, groupOf, QUANTITIES, type Quantity, type SystemFacts } from "./energies";
import { add, EXCHANGE, type MoneyAmounts, netted } from "./money";
import { joinedSums, type Sums } from "./sums";
import type { DayRule, DayTotals } from "./system-days";

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

/** In the currency of the node; null = no price is known for it. */
export interface Money {
  currency: string;
  /** imported * (price of its time + delivery) */
  import: number | null;
  /** exported * price of its time */
  revenue: number | null;
  /** The fixed cost, by time. */
  fixed: number;
  /** import - revenue + fixed */
  net: number | null;
  /** consumed * (import price + delivery) + fixed: without solar and battery. */
  baseline: number | null;
  /** baseline - net + what the battery's content gained in value */
  saving: number | null;
  /** solarToHome * import price + (solarToGrid + solarToBattery) * export price */
  solarSaving: number | null;
  /** batteryToHome * import price + batteryToGrid * export price - what that was worth when it was stored */
  batterySaving: number | null;
  /** Per kWh: (gridToHome * import price + solarToHome * export price + what batteryToHome was worth) / consumed */
  effectivePrice: number | null;
  /** saving - solarSaving - batterySaving */
  unallocated: number | null;
  /** Share of the energy used that has a price, 0 to 1. */
  priced: number;
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
  /** The end of the last record; endTime once the period is over and complete. */
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
}

/** A period, or a part of it. */
interface Piece {
  readonly period: string;
  /** In milliseconds, which may be in the future. */
  readonly end: number;
  /** What it consists of, as far as it is over: an hour, or days, for netting over months and years. */
  readonly days: readonly { readonly sums: Sums; readonly revision: number }[];
}

/** The larger one counts. */
const MISMATCH_WH = 50;
const MISMATCH_SHARE = 0.01;
/** Enough that rounded parts still add up. */
const DECIMALS = 1e9;

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
  const months = new Map<number, DayTotals[]>();
  for (const one of days) {
    const until = Math.min(calendar.period("month", one.day.start).end, end);
    months.set(until, [...(months.get(until) ?? []), one]);
  }
  return [...months].map(([until, month]) => ({ period: split, end: until, days: month }));
}

function partOf({ period, end, days }: Piece, rule: PayloadRule): TotalsPart {
  const { unit, calendar } = rule;
  const each = days.map((day) => day.sums);
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
      const isAbsent = rule.absent.has(groupOf(quantity)) && value === 0;
      return value === undefined || isAbsent ? null : inUnit(value);
    }),
    flows: hasFlows(sums) ? byName(FLOWS, (name) => inUnit(flows[name] ?? 0)) : null,
    share: sharesOf(sums),
    money: moneyOf(sums, each, rule),
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

function hasFlows({ amounts: { flows } }: Sums): boolean {
  return flows.loss !== undefined;
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
  return whole > 0 ? rounded(100 * Math.min(1, Math.max(0, part / whole))) : null;
}

function moneyOf(
  sums: Sums,
  days: readonly Sums[],
  { money: rule, currency, calendar }: PayloadRule,
): Money | null {
  if (!rule) return null;
  const { money } = sums.amounts;
  const { used = 0, priced = 0, imported, exported, delivery = 0, valueChange = 0 } = money;
  const { solarSaving = 0, batterySaving = 0, effective = 0 } = money;
  const monthsOf = (day: Sums): number => day.days / calendar.daysInMonth(day.start);
  const months = (): number => days.reduce((sum, day) => sum + monthsOf(day), 0);
  const fixed = rule.fixed * (rule.fixedPer === "day" ? sums.days : months());
  const { netting } = rule;
  const isNettedHere = netting === "month" || netting === "year";
  const { cost = 0, worth = 0 } = isNettedHere
    ? nettedOver(days, (time) => calendar.unitOf(time, netting))
    : money;
  // What has no price has no worth, and where nothing is priced, no amount is known.
  const someShare = (rule.importPrice ? imported : exported) === undefined ? 0 : 1;
  const share = used > 0 ? Math.min(1, priced / used) : someShare;
  const hasImport = share > 0 && rule.importPrice !== undefined && imported !== undefined;
  const hasExport = share > 0 && rule.exportPrice !== undefined && exported !== undefined;
  const known = (value: number, isKnown: boolean): number | null => (isKnown ? rounded(value) : null);
  const hasBoth = hasImport && hasExport;
  const isTraced = hasBoth && hasFlows(sums);
  const net = cost + delivery - worth + fixed;
  const baseline = (money.baseline ?? 0) + fixed;
  const saving = baseline - net + valueChange;
  return {
    currency,
    import: known(cost + delivery, hasImport),
    revenue: known(worth, hasExport),
    fixed: rounded(fixed),
    net: known(net, hasBoth),
    baseline: known(baseline, hasImport),
    saving: known(saving, hasBoth),
    solarSaving: known(solarSaving, isTraced),
    batterySaving: known(batterySaving, isTraced),
    effectivePrice: known(effective / (priced / 1000), isTraced && priced > 0),
    unallocated: known(saving - solarSaving - batterySaving, isTraced),
    priced: rounded(share),
  };
}

/** Import and export of the days of each block, offset against each other. */
function nettedOver(days: readonly Sums[], blockOf: (time: number) => string): MoneyAmounts {
  const blocks = new Map<string, MoneyAmounts>();
  for (const { start, amounts } of days) {
    const block = blocks.get(blockOf(start)) ?? {};
    for (const name of EXCHANGE) add(block, name, amounts.money[name] ?? 0);
    blocks.set(blockOf(start), block);
  }
  const sum: MoneyAmounts = {};
  for (const block of blocks.values()) {
    const { cost, worth } = netted(block);
    add(sum, "cost", cost);
    add(sum, "worth", worth);
  }
  return sum;
}

function rounded(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS || 0;
}
