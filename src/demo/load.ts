// The load of a household over a day: a base load, a peak in the morning, a larger one in the evening.
import { noise } from "./noise";
import type { SystemPlan } from "./sites";

/** W at an hour of local time, 0 to 24; `seed` varies by day, `slot` within a day. */
export function loadPower(load: SystemPlan["load"], clockHour: number, seed: number, slot: number): number {
  const mean = load.base + load.morning * peak(clockHour, 7.5, 1.2) + load.evening * peak(clockHour, 19.5, 2);
  return mean * (0.8 + 0.4 * noise(seed, slot));
}

function peak(hour: number, at: number, width: number): number {
  return Math.exp(-(((hour - at) / width) ** 2));
}
