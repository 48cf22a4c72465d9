// What a household draws through a day: a base, a peak in the morning, a larger one in the evening.
import { noise } from "./noise";
import type { SystemPlan } from "./sites";

/** W at an hour of the wall clock, 0 to 24; `seed` tells days apart, `slot` the moments of a day. */
export function loadPower(load: SystemPlan["load"], clockHour: number, seed: number, slot: number): number {
  const mean = load.base + load.morning * peak(clockHour, 7.5, 1.2) + load.evening * peak(clockHour, 19.5, 2);
  return mean * (0.8 + 0.4 * noise(seed, slot));
}

function peak(hour: number, at: number, width: number): number {
  return Math.exp(-(((hour - at) / width) ** 2));
}
