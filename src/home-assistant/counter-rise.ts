// How much a lifetime counter may rise from one record to the next, judged by what the records themselves report.
import { isServiceObject } from "../models/service-object";
import type { TimedRecord } from "../models/timed-record";
import { HOUR } from "../time-units";

/** Wh. Some meters count in whole kilowatt-hours. */
const METER_STEP = 1000;
/** Counter and energy may be measured at different moments and on different sides of a converter. */
const ENERGY_MARGIN = 1.25;
/** The power during a gap is not known: it may have been higher than ever seen, if only for a while. */
const GAP_MARGIN = 1.5;
/** W. For a counter whose records report neither energy nor power: about the largest connection of a home (200 A, 240 V). */
const UNKNOWN_POWER = 50_000;

/** A reading of a counter, and its interval. Times in milliseconds. */
export interface CounterReading {
  /** Wh */
  value: number;
  start: number;
  end: number;
  /** What the record reports for the interval, in Wh; undefined if it reports neither energy nor power. */
  energy: number | undefined;
}

/** An earlier reading to compare with. */
export interface CounterBase {
  /** Wh */
  value: number;
  /** In milliseconds. */
  end: number;
}

/**
 * The energy that belongs to a lifetime counter (service interface 2.5): lifetimeImportedEnergy counts importedEnergy, and so
 * on. Without it: power, which is an average over the interval. In Wh, without its sign.
 */
export function intervalEnergy(
  { record, start, end }: TimedRecord,
  group: string,
  field: string,
): number | undefined {
  const fields = record[group];
  if (!isServiceObject(fields)) return undefined;
  const own = field.replace(/^lifetime(.)/, (_all, first: string) => first.toLowerCase());
  const { [own]: energy, power } = fields;
  if (isFiniteNumber(energy)) return Math.abs(energy);
  return isFiniteNumber(power) ? Math.abs(power) * hoursBetween(start, end) : undefined;
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
function hoursBetween(start: number, end: number): number {
  return Math.max(0, end - start) / HOUR;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
