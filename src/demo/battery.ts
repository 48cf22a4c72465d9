// What a battery does with a day's surplus: it takes what it can, gives what is missing, and ends the day as it began.
import type { BatteryPlan } from "./sites";
import { downToQuarter, SLOTS_PER_HOUR } from "./units";

/** What arrives of the energy that is put in; the loss is taken while charging. */
const EFFICIENCY = 0.92;

const NO_BATTERY = { totalEnergy: 0, maxPower: 0, minimumReserve: 0 };

export interface BatteryDay {
  /** Wh a slot: positive = discharge, negative = charge. */
  energy: Float64Array;
  /** Wh in the battery: at the start of the day, then at the end of each slot. */
  stored: Float64Array;
}

/**
 * @param surplus Wh a slot that the battery could take; negative = Wh that it could give.
 * The day starts at the reserve. What would be left over at its end is not charged in the first place, last charge first:
 * after the last charge the level only falls, so taking it back never drives the level below the reserve.
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
