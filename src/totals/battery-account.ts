// What a battery holds: from where its energy came, and what that energy is worth, followed from record to record.
import { HOUR } from "../time-units";
import type { Interval } from "./balance";

/** Plain data. Energy in Wh, by origin; `value` in the currency. */
export interface BatteryAccount {
  readonly solar: number;
  readonly grid: number;
  readonly unknown: number;
  readonly value: number;
  /** Since when nothing is stored, in milliseconds; absent while there is. */
  readonly emptySince?: number | undefined;
}

export interface AccountStep {
  readonly account: BatteryAccount;
  /** The share of grid energy in what was discharged, 0 to 1. */
  readonly gridShare: number;
  /** What the discharged energy was worth. */
  readonly valueOut: number;
}

/** The rest of the value of an empty battery is lost after this time without a discharge. */
const VALUE_LIFETIME = 24 * HOUR;

/** @param stored energy in the battery, in Wh, of unknown origin */
export function newAccount(stored: number | null): BatteryAccount {
  return { solar: 0, grid: 0, unknown: stored ?? 0, value: 0 };
}

/**
 * Where flows are unknown, what is charged is of unknown origin.
 * @param worth of the energy charged
 */
export function stepAccount(
  known: BatteryAccount,
  { start, end, stored, energies, flows }: Interval,
  worth: number,
): AccountStep {
  const { charged, discharged } = energies;
  const account = withoutLostValue(known, start);
  const held = heldBy(account);
  const isEmpty = held <= 0;
  const out = isEmpty ? 0 : Math.min(1, (discharged ?? 0) / held);
  const gridShare = isEmpty ? 0 : account.grid / held;
  // An empty battery that gives something gives all that its content was worth.
  const valueOut = isEmpty && (discharged ?? 0) > 0 ? account.value : account.value * out;
  const { solarToBattery = 0, gridToBattery = 0 } = flows ?? {};
  const filled = {
    solar: account.solar * (1 - out) + solarToBattery,
    grid: account.grid * (1 - out) + gridToBattery,
    unknown: account.unknown * (1 - out) + Math.max(0, (charged ?? 0) - solarToBattery - gridToBattery),
    value: account.value - valueOut + worth,
  };
  return { account: scaledTo(filled, stored, account.emptySince ?? end), gridShare, valueOut };
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

function withoutLostValue(account: BatteryAccount, now: number): BatteryAccount {
  const { emptySince } = account;
  return emptySince !== undefined && now - emptySince >= VALUE_LIFETIME ? { ...account, value: 0 } : account;
}

function heldBy({ solar, grid, unknown }: BatteryAccount): number {
  return solar + grid + unknown;
}
