// How far a lifetime counter can rise from one reading to the next: a steeper rise, or a fall, is a glitch or a reset.
import { HOUR } from "../time-units";

/** Wh. Some meters count in whole kilowatt-hours. */
const METER_STEP = 1000;
/** Counter and energy may be measured at different moments and on different sides of a converter. */
const ENERGY_MARGIN = 1.25;
/** The power during a gap is not known: it may have been higher than ever seen, if only for a while. */
const GAP_MARGIN = 1.5;
/** W. For a counter whose records report neither energy nor power: about the largest connection of a home (200 A, 240 V). */
const UNKNOWN_POWER = 50_000;

/** A reading of a counter, in Wh, at a time in milliseconds. */
export interface CounterBase {
  value: number;
  end: number;
}

/** With the interval of its record. */
export interface CounterReading extends CounterBase {
  start: number;
  /** What the record reports for the interval, in Wh; undefined if it reports neither energy nor power. */
  energy: number | undefined;
}

/** Whether a reading rises from an earlier one by no more than plausible. `peak` is the highest known power, in W. */
export function isPlausibleRise(base: CounterBase, reading: CounterReading, peak = 0): boolean {
  const rise = reading.value - base.value;
  const hours = hoursBetween(reading.start, reading.end);
  const { energy = hours * UNKNOWN_POWER } = reading;
  const power = hours > 0 ? Math.max(peak, energy / hours) : peak;
  const gap = hoursBetween(base.end, reading.start);
  return rise >= 0 && rise <= METER_STEP + ENERGY_MARGIN * energy + GAP_MARGIN * gap * power;
}

/**
 * The highest power so far, in W, including that of a plausible reading; undefined if not known. It is no higher than the
 * counter itself confirms, so that one wrong energy value does not make every later gap implausibly productive.
 */
export function peakPower(
  base: CounterBase,
  { value, start, end, energy }: CounterReading,
  peak: number | undefined,
): number | undefined {
  const hours = hoursBetween(start, end);
  if (energy === undefined || hours === 0) return peak;
  const power = Math.min(energy, value - base.value + METER_STEP) / hours;
  return Number.isFinite(power) ? Math.max(power, peak ?? 0) : peak;
}

/** 0 if `end` is before `start`. */
export function hoursBetween(start: number, end: number): number {
  return Math.max(0, end - start) / HOUR;
}
