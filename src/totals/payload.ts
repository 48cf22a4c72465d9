// The object that totals sends for a period: energy, flows, percentages and money, each with how sure it is.
import { energiesBy, type Equipment, type Group, GROUPS, QUANTITIES, type Quantity } from "./balance";
import { type Flows, flowsBy } from "./flows";
import { addExchange, type Exchange, type MoneyRule, netted } from "./money";
import type { Sums } from "./sums";

export type EnergyUnit = "kWh" | "Wh";

/** Percentages, 0 to 100; null without a denominator, or where energies are unknown. */
export interface Shares {
  /** Solar energy that was not exported directly, of all solar energy. */
  selfConsumption: number | null;
  /** Energy used that came from the sun, directly or through the battery, whose content is traced; the rest came from the grid. */
  selfSufficiency: number | null;
  /** 1 - imported / used. */
  selfSufficiencyGrid: number | null;
  /** 1 - from the grid to the home / used; what the battery gave counts as own, wherever it came from. */
  selfSufficiencyFlow: number | null;
}

/** In the currency of the node; null = no price is known for it. */
export interface Money {
  currency: string;
  import: number | null;
  revenue: number | null;
  fixed: number;
  /** import - revenue + fixed */
  net: number | null;
  /** What it would have cost without solar and battery. */
  baseline: number | null;
  /** baseline - net, with what was put into the battery. */
  saving: number | null;
  solarSaving: number | null;
  batterySaving: number | null;
  /** Of a kWh used. */
  effectivePrice: number | null;
  /** What of the saving is neither the sun's nor the battery's. */
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
  /** What the node was asked for; of a part: `hour`, `day` or `month`. */
  period: string;
  startTime: string;
  endTime: string;
  /** The end of the last record; endTime once the period is over and complete. */
  until: string;
  timezone: string;
  energy: Record<Quantity, number | null>;
  flows: Record<keyof Flows, number> | null;
  share: Shares;
  money: Money | null;
  /** The highest mean power of a quarter of an hour, in kW or W. */
  peak: { power: number; startTime: string } | null;
  quality: Quality;
}

export interface TotalsPayload extends TotalsPart {
  parts?: TotalsPart[];
}

export interface PayloadRule {
  siteId: string;
  systemId: string | undefined;
  period: string;
  timezone: string;
  unit: EnergyUnit;
  currency: string;
  money: MoneyRule | undefined;
  equipment: Equipment;
  /** Groups that the system has, whether or not records show them. */
  present: readonly Group[];
  basis: Quality["basis"];
  iso: (time: number) => string;
  /** Equal for parts that are netted together; undefined if they are netted already. */
  nettingBlock: ((time: number) => string) | undefined;
  revision: number;
}

/** The larger one counts. */
const MISMATCH_WH = 50;
const MISMATCH_SHARE = 0.01;
/** Enough that rounded parts still add up. */
const DECIMALS = 1e9;

/**
 * @param sums of the part as far as it is over
 * @param end of the part in milliseconds, which may be in the future
 * @param days the sums of its days, for netting over months and years
 */
export function partOf(sums: Sums, end: number, days: readonly Sums[], rule: PayloadRule): TotalsPart {
  const { unit, iso } = rule;
  const scale = unit === "kWh" ? 1000 : 1;
  const inUnit = (energy: number): number => rounded(energy / scale);
  const orNull = (energy: number | null): number | null => (energy === null ? null : inUnit(energy));
  const coverage = coverageOf(sums, rule);
  const { flows, peak } = sums;
  return {
    siteId: rule.siteId,
    systemId: rule.systemId,
    period: rule.period,
    startTime: iso(sums.start),
    endTime: iso(end),
    until: iso(sums.end),
    timezone: rule.timezone,
    energy: energiesBy((quantity) => orNull(sums.energy[quantity])),
    flows: flows && flowsBy((name) => inUnit(flows[name])),
    share: sharesOf(sums),
    money: moneyOf(sums, days, rule),
    peak: peak && { power: inUnit(peak.power), startTime: iso(peak.start) },
    quality: {
      coverage: rounded(coverage),
      missing: sums.missing.map((span) => ({ startTime: iso(span.start), endTime: iso(span.end) })),
      estimated: mapped(sums.estimated, inUnit),
      resets: sums.resets.map(({ quantity, at }) => ({ quantity, at: iso(at) })),
      mismatch: coverage === 1 ? mapped(mismatchOf(sums), inUnit) : {},
      derived: inUnit(sums.derived),
      thirdPartySolar: rule.equipment.isSolarUnmeasured ? orNull(sums.thirdPartySolar) : null,
      basis: rule.basis,
      complete: coverage === 1 && Object.keys(sums.estimated).length === 0,
      revision: rule.revision,
    },
  };
}

/** Groups of which the records of a time say something. */
export function groupsIn({ covered }: Sums): Group[] {
  return GROUPS.filter((group) => covered[group] !== undefined);
}

/** The least of the groups that the system has. */
function coverageOf({ covered, start, end }: Sums, { present }: PayloadRule): number {
  if (end <= start || present.length === 0) return 0;
  const times = present.map((group) => covered[group] ?? 0);
  // Sums of shares of time may differ from the whole by less than a millisecond.
  return Math.min(1, Math.round(Math.min(...times)) / (end - start));
}

function mismatchOf({ energy, ownEnergy }: Sums): Partial<Record<Quantity, number>> {
  const mismatch: Partial<Record<Quantity, number>> = {};
  for (const quantity of QUANTITIES) {
    const [counted, own] = [energy[quantity], ownEnergy[quantity]];
    if (counted === null || own === null) continue;
    if (Math.abs(counted - own) > Math.max(MISMATCH_WH, MISMATCH_SHARE * own))
      mismatch[quantity] = counted - own;
  }
  return mismatch;
}

function sharesOf({ energy, flows, solar, used, ownUsed }: Sums): Shares {
  const { imported, consumed } = energy;
  return {
    selfConsumption: flows && percent(solar - flows.solarToGrid, solar),
    selfSufficiency: flows && percent(ownUsed, used),
    selfSufficiencyGrid:
      imported === null || consumed === null ? null : percent(consumed - imported, consumed),
    selfSufficiencyFlow: flows && percent(used - flows.gridToHome, used),
  };
}

function percent(part: number, whole: number): number | null {
  return whole > 0 ? rounded(100 * Math.min(1, Math.max(0, part / whole))) : null;
}

function moneyOf(
  sums: Sums,
  days: readonly Sums[],
  { money: rule, currency, nettingBlock }: PayloadRule,
): Money | null {
  const { money } = sums;
  if (!rule || !money) return null;
  const fixed = rule.fixed * (rule.fixedPer === "day" ? sums.days : sums.months);
  const { cost, worth } = nettingBlock ? nettedOver(days, nettingBlock) : money;
  const [hasImport, hasExport] = [rule.importPrice !== undefined, rule.exportPrice !== undefined];
  const isPriced = money.pricedTime > 0;
  const known = (value: number, isKnown: boolean): number | null =>
    isPriced && isKnown ? rounded(value) : null;
  const hasBoth = hasImport && hasExport;
  const paid = cost + money.delivery;
  const net = paid - worth + fixed;
  const baseline = money.baseline + fixed;
  const saving = baseline - net + money.valueChange;
  const { solarSaving, batterySaving } = money;
  return {
    currency,
    import: known(paid, hasImport),
    revenue: known(worth, hasExport),
    fixed: rounded(fixed),
    net: known(net, hasBoth),
    baseline: known(baseline, hasImport),
    saving: known(saving, hasBoth),
    solarSaving: sums.flows && known(solarSaving, hasBoth),
    batterySaving: sums.flows && known(batterySaving, hasBoth),
    effectivePrice: sums.flows && known(money.effective / (money.priced / 1000), hasBoth && money.priced > 0),
    unallocated: sums.flows && known(saving - solarSaving - batterySaving, hasBoth),
    priced: money.used > 0 ? rounded(Math.min(1, money.priced / money.used)) : Number(isPriced),
  };
}

/** Import and export of the days of each block, offset against each other. */
function nettedOver(
  days: readonly Sums[],
  blockOf: (time: number) => string,
): { cost: number; worth: number } {
  const blocks = new Map<string, Exchange>();
  for (const { start, money } of days) {
    const known = blocks.get(blockOf(start)) ?? { imported: 0, exported: 0, cost: 0, worth: 0 };
    if (money) addExchange(known, money.gross);
    blocks.set(blockOf(start), known);
  }
  const sum = { cost: 0, worth: 0 };
  for (const block of blocks.values()) {
    const { cost, worth } = netted(block);
    sum.cost += cost;
    sum.worth += worth;
  }
  return sum;
}

function mapped<Name extends string>(
  values: Partial<Record<Name, number>>,
  change: (value: number) => number,
): Partial<Record<Name, number>> {
  const changed: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(values) as Name[]) changed[name] = change(values[name] ?? 0);
  return changed;
}

function rounded(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS || 0;
}
