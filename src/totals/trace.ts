// Follows a system's energy from interval to interval: who fed whom, and what came out of the battery.
import { type BatteryAccount, newAccount, stepAccount } from "./battery-account";
import type { Interval } from "./balance";
import { type Flows, flowsOf, isBalance, type Priority } from "./flows";
import { meanPrice, type PriceCurve } from "./prices";

/** Prices in money per kWh; undefined = not set. */
export interface Tariff {
  readonly importPrice: PriceCurve | undefined;
  readonly exportPrice: PriceCurve | undefined;
}

export interface Trace {
  /** Those that are not over at the start, each with who fed whom. */
  readonly intervals: readonly Interval[];
  /** The battery's account after the last interval that ends no later than `until`. */
  readonly account: BatteryAccount | undefined;
}

export const WH_PER_KWH = 1000;

/**
 * @param account of the battery before the first interval that ends after `from`; undefined = it begins here
 * @param from milliseconds; intervals that end before it are passed over
 */
export function traceEnergy(
  intervals: readonly Interval[],
  account: BatteryAccount | undefined,
  {
    from,
    until,
    priority,
    tariff,
  }: { from: number; until: number; priority: Priority; tariff: Tariff | undefined },
): Trace {
  let current = account;
  let atEnd = account;
  const traced: Interval[] = [];
  for (const interval of intervals) {
    const { end, energies, stored } = interval;
    if (end <= from) {
      if (!account && stored !== null) current = newAccount(stored);
      continue;
    }
    current ??= newAccount(storedBefore(interval));
    const flows = isBalance(energies) ? flowsOf(energies, priority) : null;
    const worth = flows && tariff ? worthOf(flows, interval, tariff) : 0;
    interval.flows = flows;
    const next = stepAccount(current, interval, worth);
    interval.gridShare = next.gridShare;
    interval.valueOut = next.valueOut;
    interval.valueChange = next.account.value - current.value;
    traced.push(interval);
    current = next.account;
    if (end <= until) atEnd = current;
  }
  return { intervals: traced, account: atEnd ?? current };
}

/** Of what was charged: what the sun gave could have been sold. */
function worthOf(
  { solarToBattery, gridToBattery }: Flows,
  { start, end }: Interval,
  { importPrice, exportPrice }: Tariff,
): number {
  const price = (energy: number, curve: PriceCurve | undefined): number =>
    curve && energy > 0 ? energy * meanPrice(curve, start, end) : 0;
  return (price(gridToBattery, importPrice) + price(solarToBattery, exportPrice)) / WH_PER_KWH;
}

/** Wh in the battery at the start of an interval. */
function storedBefore({ stored, energies: { charged, discharged } }: Interval): number | null {
  return stored === null ? null : Math.max(0, stored - (charged ?? 0) + (discharged ?? 0));
}
