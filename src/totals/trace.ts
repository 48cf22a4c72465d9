// Follows a system's energy from interval to interval: who fed whom, what the battery holds, from where, and what that is worth.
import { number, optional, type Shaped } from "../models/shape";
import { HOUR, type TimeWindow } from "../time-units";
import type { Interval } from "./balance";
import { type Flows, flowsOf, isBalance, type SolarPriority } from "./energies";
import { meanPrice, type PriceCurve } from "./prices";

/** Plain data. Energy in Wh, by origin; `value` in the currency. */
export const BATTERY_ACCOUNT = {
  solar: number,
  grid: number,
  unknown: number,
  value: number,
  /** Since when nothing is stored, in milliseconds; absent while there is. */
  emptySince: optional(number),
};

export type BatteryAccount = Shaped<typeof BATTERY_ACCOUNT>;

/** Prices in money per kWh; undefined = not set. */
export interface Tariff {
  readonly importPrice: PriceCurve | undefined;
  readonly exportPrice: PriceCurve | undefined;
}

export const WH_PER_KWH = 1000;

/**
 * Notes in each interval who fed whom. Returns the battery's account after the last one that ends within the day.
 * @param account of the battery before the day; undefined = it begins here
 * @param day intervals that end before it are passed over
 */
export function traceEnergy(
  intervals: readonly Interval[],
  account: BatteryAccount | undefined,
  day: TimeWindow,
  { priority, money }: { priority: SolarPriority; money: Tariff | undefined },
): BatteryAccount | undefined {
  let current = account;
  let atEnd = account;
  for (const interval of intervals) {
    const { end, energies, stored } = interval;
    if (end <= day.start) {
      if (!account && stored !== null) current = newAccount(stored);
      continue;
    }
    current ??= newAccount(storedBefore(interval));
    const flows = isBalance(energies) ? flowsOf(energies, priority) : null;
    const worth = flows && money ? worthOf(flows, interval, money) : 0;
    interval.flows = flows;
    current = stepAccount(current, interval, worth);
    if (end <= day.end) atEnd = current;
  }
  return atEnd ?? current;
}

/** The rest of the value of an empty battery is lost after this time without a discharge. */
const VALUE_LIFETIME = 24 * HOUR;

/** @param stored energy in the battery, in Wh, of unknown origin */
function newAccount(stored: number | null): BatteryAccount {
  return { solar: 0, grid: 0, unknown: stored ?? 0, value: 0 };
}

/**
 * The account after an interval, in which what the battery gave is noted. Where flows are unknown, what is charged is of unknown
 * origin.
 * @param worth of the energy charged
 */
function stepAccount(known: BatteryAccount, interval: Interval, worth: number): BatteryAccount {
  const { start, end, stored, energies, flows } = interval;
  const { emptySince = end } = known;
  const value = start - emptySince >= VALUE_LIFETIME ? 0 : known.value;
  const [charged, discharged] = [energies.charged ?? 0, energies.discharged ?? 0];
  const held = heldBy(known);
  const isEmpty = held <= 0;
  const out = isEmpty ? 0 : Math.min(1, discharged / held);
  // An empty battery that gives something gives all that its content was worth.
  const valueOut = isEmpty && discharged > 0 ? value : value * out;
  const { solarToBattery = 0, gridToBattery = 0 } = flows ?? {};
  const filled = {
    solar: known.solar * (1 - out) + solarToBattery,
    grid: known.grid * (1 - out) + gridToBattery,
    unknown: known.unknown * (1 - out) + Math.max(0, charged - solarToBattery - gridToBattery),
    value: value - valueOut + worth,
  };
  interval.gridShare = isEmpty ? 0 : known.grid / held;
  interval.valueOut = valueOut;
  interval.valueLost = known.value - value;
  return scaledTo(filled, stored, emptySince);
}

/** Losses are no one's in particular; what the battery holds keeps its value. Without a reading the account stays open. */
function scaledTo(account: BatteryAccount, stored: number | null, emptySince: number): BatteryAccount {
  const held = heldBy(account);
  const target = stored ?? held;
  const { value } = account;
  if (target <= 0) return { solar: 0, grid: 0, unknown: 0, value, emptySince };
  // What remains in a battery that the account takes for empty is of unknown origin.
  if (held <= 0) return { solar: 0, grid: 0, unknown: target, value };
  const scale = target / held;
  const { solar, grid, unknown } = account;
  return { solar: solar * scale, grid: grid * scale, unknown: unknown * scale, value };
}

function heldBy({ solar, grid, unknown }: BatteryAccount): number {
  return solar + grid + unknown;
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
