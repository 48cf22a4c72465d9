// The money that totals shows of a period: what it cost, earned and saved, as far as prices are known.
import type { SiteCalendar } from "../site-calendar";
import { groupedBy } from "../objects";
import { type MoneyAmounts, type MoneyRule, offset } from "./money";
import { hasFlows, joinedSums, type Sums } from "./sums";

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

/** Enough that rounded parts still add up. */
const DECIMALS = 1e9;
/** Wh. Less is no denominator: the last digits of counters that have not moved differ, too. */
export const LEAST_ENERGY = 1e-6;

/** @param days of which the sums are: netting over months and years needs them one by one */
export function moneyOf(
  sums: Sums,
  days: readonly Sums[],
  rule: MoneyRule | undefined,
  { currency, calendar }: { currency: string; calendar: SiteCalendar },
): Money | null {
  if (!rule) return null;
  const { money } = sums.amounts;
  const { used = 0, priced = 0, imported, exported, valueChange = 0 } = money;
  const { solarSaving = 0, batterySaving = 0, effective = 0 } = money;
  const delivery = ((imported ?? 0) / 1000) * rule.delivery;
  const perDay = (day: Sums): number =>
    rule.fixedPer === "day" ? rule.fixed : rule.fixed / calendar.daysInMonth(day.start);
  const fixed = days.reduce((sum, day) => sum + day.days * perDay(day), 0);
  const { netting } = rule;
  const isNettedHere = netting === "month" || netting === "year";
  const { cost = 0, worth = 0 } = isNettedHere
    ? nettedOver(days, (time) => calendar.unitOf(time, netting))
    : money;
  // What has no price has no worth, and where nothing is priced, no amount is known.
  const someShare = (rule.importPrice ? imported : exported) === undefined ? 0 : 1;
  const share = used >= LEAST_ENERGY ? Math.min(1, priced / used) : someShare;
  const hasImport = share > 0 && rule.importPrice !== undefined && imported !== undefined;
  const hasExport = share > 0 && rule.exportPrice !== undefined && exported !== undefined;
  const hasBaseline = share > 0 && rule.importPrice !== undefined && money.baseline !== undefined;
  const known = (value: number, isKnown: boolean): number | null => (isKnown ? rounded(value) : null);
  const hasBoth = hasImport && hasExport;
  const hasSaving = hasBoth && hasBaseline;
  const isTraced = hasSaving && hasFlows(sums);
  const net = cost + delivery - worth + fixed;
  const baseline = (money.baseline ?? 0) + fixed;
  const saving = baseline - net + valueChange;
  return {
    currency,
    import: known(cost + delivery, hasImport),
    revenue: known(worth, hasExport),
    fixed: rounded(fixed),
    net: known(net, hasBoth),
    baseline: known(baseline, hasBaseline),
    saving: known(saving, hasSaving),
    solarSaving: known(solarSaving, isTraced),
    batterySaving: known(batterySaving, isTraced),
    effectivePrice: known(effective / (priced / 1000), isTraced && priced >= LEAST_ENERGY),
    unallocated: known(saving - solarSaving - batterySaving, isTraced),
    priced: rounded(share),
  };
}

/** Import and export of the days of each block, offset against each other. */
function nettedOver(days: readonly Sums[], blockOf: (time: number) => string): MoneyAmounts {
  const blocks = groupedBy(days, ({ start }) => blockOf(start));
  return offset([...blocks.values()].map((block) => joinedSums(block).amounts.money));
}

export function rounded(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS || 0;
}
