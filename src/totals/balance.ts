// The energy balance of a system, interval by interval: what its records and lifetime counters say, and what lies between them.
import { usualOf } from "../ledger/ledger";
import { type CounterBase, isPlausibleRise, peakPower } from "../models/counter-rise";
import type { TimedRecord } from "../models/telemetry";
import { lengthOf } from "../time-units";
import {
  completeEnergies,
  counterOf,
  type Energies,
  energiesOf,
  type Flows,
  type Group,
  QUANTITIES,
  type Quantity,
  storedEnergy,
  unknown,
} from "./energies";

const NONE: readonly Quantity[] = [];

/** A record, or the time between two records; times in milliseconds. Filled step by step: a year has 100,000. */
export class Interval {
  /** By the lifetime counters where they can be trusted, else as `energies`: sums of these are exact over gaps. */
  readonly counted: Energies;
  /** Energy in the battery at the end, in Wh. */
  readonly stored: number | null;
  /** Counted, but only shared out over time. */
  estimated = NONE;
  /** Counters that fell, or rose too far. */
  resets = NONE;
  /** Who fed whom; null where an energy that it takes is unknown. */
  flows: Flows | null = null;
  /** The share of grid energy in what the battery gave, 0 to 1. */
  gridShare = 0;
  /** What that was worth, and what the rest in an empty battery was, once no one gets it. */
  valueOut = 0;
  valueLost = 0;

  /**
   * @param record undefined between records
   * @param energies what the record says of itself, and where it says nothing, the counters on both sides
   * @param isDerived whether consumption was computed from the others
   */
  constructor(
    readonly start: number,
    readonly end: number,
    readonly record?: TimedRecord["record"],
    readonly energies = unknown(),
    public isDerived = false,
  ) {
    this.counted = { ...energies };
    this.stored = record ? storedEnergy(record) : null;
  }

  /** Whether its record says it, or a counter that covers no more time. */
  measures(quantity: Quantity): boolean {
    return Boolean(this.record) && this.energies[quantity] !== null && !this.estimated.includes(quantity);
  }
}

type Readings = Partial<Record<Quantity, number>>;

/** The last reading of a counter. One object each for all records. */
interface Counter extends CounterBase {
  /** What the records since then say, in Wh. */
  since: number;
  /** The intervals since then that say nothing. */
  silent: Interval[];
}

/** The highest power seen of each, in W. */
export type Peaks = Partial<Record<Quantity, number>>;

/**
 * The intervals of a system's records, in order and without overlaps; the records must be in order.
 * @param peaks of the records before these; raised by these
 */
export function intervalsOf(
  records: readonly TimedRecord[],
  absent: ReadonlySet<Group>,
  peaks: Peaks = {},
): Interval[] {
  const intervals: Interval[] = [];
  const counters: Partial<Record<Quantity, Counter>> = {};
  const usual = usualOf(records.map(({ start, end }) => [start, end]));
  for (const timed of records) {
    const last = intervals.at(-1);
    const overlap = last ? Math.max(last.end - timed.start, 0) : 0;
    if (timed.end - timed.start <= overlap) continue;
    const isJoined = last !== undefined && timed.start - last.end <= usual.break;
    if (last && !isJoined) {
      const gap = new Interval(last.end, timed.start);
      for (const counter of Object.values(counters)) counter.silent.push(gap);
      intervals.push(gap);
    }
    const share = 1 - overlap / (timed.end - timed.start);
    const { energies, isDerived } = energiesOf(timed.record, absent, share);
    const start = isJoined ? last.end : timed.start;
    const interval = new Interval(start, timed.end, timed.record, energies, isDerived);
    for (const quantity of QUANTITIES) count(quantity, timed, interval, counters, peaks);
    intervals.push(interval);
  }
  for (const interval of intervals) {
    const { energies, counted } = interval;
    // What a record does not say, either, the counters do.
    for (const quantity of QUANTITIES) energies[quantity] ??= counted[quantity];
    if (interval.isDerived || !completeEnergies(energies, absent)) continue;
    interval.isDerived = true;
    if (interval.estimated.length > 0) interval.estimated = [...interval.estimated, "consumed"];
    counted.consumed = energies.consumed;
  }
  return intervals;
}

/** Counts a quantity by its counter: in a record and, between readings, in the intervals that say nothing of themselves. */
function count(
  quantity: Quantity,
  { record, end }: TimedRecord,
  interval: Interval,
  counters: Partial<Record<Quantity, Counter>>,
  peaks: Peaks,
): void {
  const value = counterOf(quantity, record);
  const own = interval.energies[quantity];
  const known = counters[quantity];
  if (value === null) {
    // What is computed from the rest may be more than the counter says, such as by the losses of conversion.
    const isOwn = own !== null && !(quantity === "consumed" && interval.isDerived);
    if (isOwn && known) known.since += own;
    else known?.silent.push(interval);
    return;
  }
  if (!known) {
    counters[quantity] = { value, end, since: 0, silent: [] };
    return;
  }
  const energy = own !== null || known.since > 0 ? known.since + (own ?? 0) : undefined;
  // The energy is that of all the time since the last reading but what says nothing.
  const silent = energy !== undefined && own === null ? [...known.silent, interval] : known.silent;
  const reading = { value, start: known.end + lengthOf(silent), end, energy };
  if (isPlausibleRise(known, reading, peaks[quantity])) {
    const rise = Math.max(0, value - known.value - known.since);
    interval.counted[quantity] = rise - spread(rise, quantity, known.silent, interval);
    const peak = peakPower(known, reading, peaks[quantity]);
    if (peak !== undefined) peaks[quantity] = peak;
  } else interval.resets = [...interval.resets, quantity];
  known.value = value;
  known.end = end;
  known.since = 0;
  if (known.silent.length > 0) known.silent = [];
}

/** Shares what of a rise is not the record's own out over the intervals that say nothing, by time. Returns how much that is. */
function spread(rise: number, quantity: Quantity, silent: readonly Interval[], interval: Interval): number {
  if (silent.length === 0) return 0;
  const own = interval.energies[quantity];
  const time = lengthOf(silent);
  const length = interval.end - interval.start;
  const rest = own === null ? (rise * time) / (time + length) : Math.max(0, rise - own);
  for (const one of silent) {
    one.counted[quantity] = (rest * (one.end - one.start)) / time;
    one.estimated = [...one.estimated, quantity];
  }
  return rest;
}

/** Tells the lifetime counters at times in order, in Wh: the last readings, and what was counted since. */
export function readingsOver(intervals: readonly Interval[]): (time: number) => Readings {
  let next = 0;
  const current: Readings = {};
  const advance = (readings: Readings, { counted }: Interval, share: number): void => {
    for (const quantity of QUANTITIES)
      if (readings[quantity] !== undefined) readings[quantity] += (counted[quantity] ?? 0) * share;
  };
  return (time) => {
    let interval = intervals[next];
    for (; interval && interval.end <= time; interval = intervals[(next += 1)]) {
      advance(current, interval, 1);
      for (const quantity of QUANTITIES) {
        const reading = interval.record && counterOf(quantity, interval.record);
        if (typeof reading === "number") current[quantity] = reading;
      }
    }
    const readings = { ...current };
    if (interval && interval.start < time)
      advance(readings, interval, (time - interval.start) / (interval.end - interval.start));
    return readings;
  };
}
