// Simulates a battery over a day: it stores surplus energy, covers shortages, and ends the day as it began.
import type { BatteryPlan } from "./sites";
import { downToQuarter, SLOTS_PER_HOUR } from "./units";

/** Round-trip efficiency, applied while charging. */
const EFFICIENCY = 0.92;

const NO_BATTERY = { totalEnergy: 0, maxPower: 0, minimumReserve: 0 };

export interface BatteryDay {
  /** Wh per slot: positive = discharge, negative = charge. */
  energy: Float64Array;
  /** Wh in the battery at the start of the day, then at the end of each slot. */
  stored: Float64Array;
}

/**
 * The day starts at the reserve. Energy that would be left at the end is not charged in the first place, beginning with the
 * last charge: after that the level only falls, so undoing it never takes the level below the reserve.
 * @param surplus Wh per slot that the battery could charge; negative = that it could discharge
 */
export function batteryDay(battery: BatteryPlan | undefined, surplus: Float64Array): BatteryDay {
  const { totalEnergy, maxPower, minimumReserve } = battery ?? NO_BATTERY;
  const reserve = (totalEnergy * minimumReserve) / 100;
  const usable = totalEnergy - reserve;
  const limit = maxPower / SLOTS_PER_HOUR;
  const energy = new Float64Array(surplus.length);
  let level = 0;
  for (const [slot, spare] of surplus.entries()) {
    energy[slot] =
      spare > 0
        ? -downToQuarter(Math.min(spare, limit, (usable - level) / EFFICIENCY))
        : downToQuarter(Math.min(-spare, limit, level));
    level += levelChange(energy[slot] ?? 0);
  }
  for (let slot = energy.length - 1; slot >= 0 && level > 0; slot--) {
    const charged = Math.max(0, -(energy[slot] ?? 0));
    const back = downToQuarter(Math.min(charged, level / EFFICIENCY));
    energy[slot] = (energy[slot] ?? 0) + back;
    level -= back * EFFICIENCY;
  }
  const stored = new Float64Array(surplus.length + 1);
  stored[0] = reserve;
  for (const [slot, flow] of energy.entries()) stored[slot + 1] = (stored[slot] ?? 0) + levelChange(flow);
  return { energy, stored };
}

function levelChange(energy: number): number {
  return energy < 0 ? -energy * EFFICIENCY : -energy;
}
