// Follows a system's energy from interval to interval: who fed whom, and what came out of the battery.
import { type BatteryAccount, newAccount, stepAccount } from "./battery-account";
import type { Interval } from "./balance";
import { type Balance, type Flows, flowsBy, flowsOf, type Priority } from "./flows";
import { meanPrice, type PriceCurve } from "./prices";

/** Prices in money per kWh. */
export interface Tariff {
  readonly importPrice: PriceCurve | undefined;
  readonly exportPrice: PriceCurve | undefined;
}

export interface TracedInterval extends Interval {
  /** Null where an energy that it takes is unknown. */
  readonly flows: Flows | null;
  /** The share of grid energy in what the battery gave, 0 to 1. */
  readonly gridShare: number;
  /** What it was worth, and by how much the value of the battery's content changed. */
  readonly valueOut: number;
  readonly valueChange: number;
}

export interface Trace {
  readonly intervals: readonly TracedInterval[];
  /** The battery's account after the last interval that ends no later than `until`. */
  readonly account: BatteryAccount | undefined;
}

const WH_PER_KWH = 1000;

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
  const traced: TracedInterval[] = [];
  for (const interval of intervals) {
    if (interval.end <= from) {
      if (!account && interval.stored !== null) current = newAccount(interval.stored);
      continue;
    }
    current ??= newAccount(storedBefore(interval));
    const { flows, step } = traceOne(interval, current, priority, tariff);
    const valueChange = step.account.value - current.value;
    current = step.account;
    traced.push({ ...interval, flows, gridShare: step.gridShare, valueOut: step.valueOut, valueChange });
    if (interval.end <= until) atEnd = current;
  }
  return { intervals: traced, account: atEnd ?? current };
}

function traceOne(
  { start, end, energies, stored }: Interval,
  account: BatteryAccount,
  priority: Priority,
  tariff: Tariff | undefined,
): { flows: Flows | null; step: ReturnType<typeof stepAccount> } {
  const balance = balanceOf(energies);
  const flows = balance && flowsOf(balance, priority);
  const price = (curve: PriceCurve | undefined): number | undefined => {
    const mean = curve && meanPrice(curve, start, end);
    return mean === undefined ? undefined : mean / WH_PER_KWH;
  };
  const step = stepAccount(account, {
    start,
    end,
    flows: flows ?? NO_FLOWS,
    charged: energies.charged ?? 0,
    discharged: energies.discharged ?? 0,
    stored,
    importPrice: price(tariff?.importPrice),
    exportPrice: price(tariff?.exportPrice),
  });
  return { flows, step };
}

/** Wh in the battery at the start of an interval. */
function storedBefore({ stored, energies: { charged, discharged } }: Interval): number | null {
  return stored === null ? null : Math.max(0, stored - (charged ?? 0) + (discharged ?? 0));
}

/** What is not known to be from the sun or the grid is of unknown origin. */
const NO_FLOWS: Flows = flowsBy(() => 0);

function balanceOf({
  solar,
  imported,
  exported,
  charged,
  discharged,
  consumed,
}: Interval["energies"]): Balance | null {
  if (solar === null || imported === null || exported === null) return null;
  if (charged === null || discharged === null || consumed === null) return null;
  return { solar, imported, exported, charged, discharged, consumed };
}
