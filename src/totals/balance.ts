// The energy balance of a system, interval by interval: what its records and lifetime counters say, and what lies between them.
import { isPlausibleRise, peakPower } from "../models/counter-rise";
import { isServiceObject } from "../models/service-object";
import type { TimedRecord } from "../models/telemetry";

/** Each with a lifetime counter of its own. In order: sources and sinks as they are listed in messages. */
export const QUANTITIES = ["solar", "imported", "exported", "charged", "discharged", "consumed"] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** Energies in Wh, never negative; null = unknown, which is not 0. */
export type Energies = Readonly<Record<Quantity, number | null>>;

export const GROUPS = ["grid", "solar", "storage", "consumption"] as const;
export type Group = (typeof GROUPS)[number];

/** What the capabilities of a system say (service interface 2.3). */
export interface Equipment {
  /** Groups without equipment: their energies are 0. */
  readonly absent: ReadonlySet<Group>;
  /** Third-party solar that is not measured: what rests on solar energy is unknown. */
  readonly isSolarUnmeasured: boolean;
}

/** A record, or the time between two records. Times in milliseconds. */
export interface Interval {
  readonly start: number;
  readonly end: number;
  /** What the record says of itself; between records, what the counters on both sides say. */
  readonly energies: Energies;
  /** By the lifetime counters where they can be trusted, else as `energies`: sums of these are exact over gaps. */
  readonly counted: Energies;
  /** Whether the interval lies between records. */
  readonly isGap: boolean;
  /** Groups that the record has. */
  readonly groups: readonly Group[];
  /** Whether consumption was computed from the others. */
  readonly isDerived: boolean;
  /** Energy in the battery at the end, in Wh. */
  readonly stored: number | null;
  /** Counters that fell, or rose too far. */
  readonly resets: readonly Quantity[];
}

interface Source {
  readonly group: Group;
  readonly counter: string;
  /** What the fields of the group say of the interval. */
  readonly energyOf: (group: Fields) => number | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Sign rules: service interface 2.5 semantics 2. */
const SOURCES: Readonly<Record<Quantity, Source>> = {
  solar: { group: "solar", counter: "lifetimeEnergy", energyOf: ({ energy }) => positive(energy) },
  imported: {
    group: "grid",
    counter: "lifetimeImportedEnergy",
    energyOf: ({ importedEnergy, energy }) => positive(importedEnergy) ?? positive(energy),
  },
  exported: {
    group: "grid",
    counter: "lifetimeExportedEnergy",
    energyOf: ({ exportedEnergy, energy }) => positive(exportedEnergy) ?? negative(energy),
  },
  charged: {
    group: "storage",
    counter: "lifetimeChargeEnergy",
    energyOf: ({ chargeEnergy, energy }) => positive(chargeEnergy) ?? negative(energy),
  },
  discharged: {
    group: "storage",
    counter: "lifetimeDischargeEnergy",
    energyOf: ({ dischargeEnergy, energy }) => positive(dischargeEnergy) ?? positive(energy),
  },
  consumed: { group: "consumption", counter: "lifetimeEnergy", energyOf: ({ energy }) => positive(energy) },
};

/** Some services end a record a second before the next begins: such a break is none. */
const TOLERATED_BREAK = 2000;

/** The last reading of a counter, and what the records since then say. */
interface CounterState {
  readonly value: number;
  readonly end: number;
  readonly since: number;
}

/** The highest power seen of each, in W. */
export type Peaks = Map<Quantity, number>;

/**
 * The intervals of a system's records, in order and without overlaps; the records must be in order.
 * @param peaks of the records before these; raised by these
 */
export function intervalsOf(
  records: readonly TimedRecord[],
  equipment: Equipment,
  peaks: Peaks = new Map(),
): Interval[] {
  const intervals: Interval[] = [];
  const counters = new Map<Quantity, CounterState>();
  for (const timed of records) {
    const last = intervals.at(-1);
    const overlap = last ? Math.max(last.end - timed.start, 0) : 0;
    if (timed.end - timed.start <= overlap) continue;
    const share = 1 - overlap / (timed.end - timed.start);
    const isJoined = last !== undefined && timed.start - last.end <= TOLERATED_BREAK;
    const start = isJoined ? last.end : timed.start;
    const own = energiesOf(timed, equipment, share);
    const steps = stepsOf({ counters, peaks }, timed, own.energies, start);
    if (last && !isJoined) intervals.push(gapBetween(last.end, start, steps.gap, equipment));
    const counted = { ...own.energies, ...steps.counted };
    intervals.push({ ...own, start, end: timed.end, counted, isGap: false, resets: steps.resets });
  }
  return intervals;
}

function energiesOf(
  { record }: TimedRecord,
  equipment: Equipment,
  share: number,
): Pick<Interval, "energies" | "groups" | "isDerived" | "stored"> {
  const energies = energiesBy((quantity) => {
    const { group, energyOf } = SOURCES[quantity];
    const fields = record[group];
    const energy = isServiceObject(fields) ? energyOf(fields) : null;
    return energy === null ? null : energy * share;
  });
  const groups = GROUPS.filter((group) => isServiceObject(record[group]));
  const { storage } = record;
  const stored = isServiceObject(storage) ? storedEnergy(storage) : null;
  return { ...completed(energies, equipment), groups, stored };
}

/** Absent equipment has no energy, and consumption follows from the rest. */
function completed(
  known: Energies,
  { absent, isSolarUnmeasured }: Equipment,
): Pick<Interval, "energies" | "isDerived"> {
  const energies = energiesBy((quantity) => {
    const isUnknown = quantity === "solar" && isSolarUnmeasured;
    const isAbsent = absent.has(SOURCES[quantity].group) && !isUnknown;
    return known[quantity] ?? (isAbsent ? 0 : null);
  });
  const { solar, imported, exported, charged, discharged, consumed } = energies;
  if (consumed !== null || solar === null || imported === null || exported === null)
    return { energies, isDerived: false };
  if (charged === null || discharged === null) return { energies, isDerived: false };
  const derived = Math.max(0, imported + solar + discharged - exported - charged);
  return { energies: { ...energies, consumed: derived }, isDerived: true };
}

interface Steps {
  counted: Partial<Record<Quantity, number>>;
  /** Between the last record and this one. */
  gap: Partial<Record<Quantity, number>>;
  resets: Quantity[];
}

/** What the counters say of a record and of the time before it, and their readings for the next one. */
function stepsOf(
  { counters, peaks }: { counters: Map<Quantity, CounterState>; peaks: Peaks },
  { record, start: recordStart, end }: TimedRecord,
  energies: Energies,
  start: number,
): Steps {
  const steps: Steps = { counted: {}, gap: {}, resets: [] };
  for (const quantity of QUANTITIES) {
    const { group, counter } = SOURCES[quantity];
    const fields = record[group];
    const value = isServiceObject(fields) ? finite(fields[counter]) : null;
    const own = energies[quantity];
    const known = counters.get(quantity);
    if (value === null) {
      if (known) counters.set(quantity, { ...known, since: known.since + (own ?? 0) });
      continue;
    }
    const isMeasured = own !== null || Boolean(known?.since);
    const energy = isMeasured ? (known?.since ?? 0) + (own ?? 0) : undefined;
    const reading = { value, start: recordStart, end, energy };
    const isTrusted = known !== undefined && isPlausibleRise(known, reading, peaks.get(quantity));
    if (known && !isTrusted) steps.resets.push(quantity);
    if (known && isTrusted) {
      const rise = Math.max(0, value - known.value - known.since);
      const isGap = start > known.end + TOLERATED_BREAK;
      const between = isGap ? restOf(rise, own, start - known.end, end - start) : 0;
      if (isGap) steps.gap[quantity] = between;
      steps.counted[quantity] = rise - between;
      const peak = peakPower(known, reading, peaks.get(quantity));
      if (peak !== undefined) peaks.set(quantity, peak);
    }
    counters.set(quantity, { value, end, since: 0 });
  }
  return steps;
}

/** What of a rise lies in the gap before a record: all but the record's own energy or, without one, by time. */
function restOf(rise: number, own: number | null, gap: number, length: number): number {
  return own === null ? (rise * gap) / (gap + length) : Math.max(0, rise - own);
}

function gapBetween(
  start: number,
  end: number,
  known: Partial<Record<Quantity, number>>,
  equipment: Equipment,
): Interval {
  const counted = energiesBy((quantity) => known[quantity] ?? null);
  const { energies } = completed(counted, equipment);
  return {
    start,
    end,
    energies,
    counted: energies,
    isGap: true,
    groups: [],
    isDerived: false,
    stored: null,
    resets: [],
  };
}

/** Wh in the battery, by what it reports, or by its state of charge. */
function storedEnergy({ remainingEnergy, stateOfCharge, totalEnergy }: Fields): number | null {
  const remaining = positive(remainingEnergy);
  if (remaining !== null) return remaining;
  const [percent, total] = [positive(stateOfCharge), positive(totalEnergy)];
  return percent === null || total === null ? null : (Math.min(percent, 100) / 100) * total;
}

export function energiesBy(energyOf: (quantity: Quantity) => number | null): Record<Quantity, number | null> {
  return {
    solar: energyOf("solar"),
    imported: energyOf("imported"),
    exported: energyOf("exported"),
    charged: energyOf("charged"),
    discharged: energyOf("discharged"),
    consumed: energyOf("consumed"),
  };
}

/** The group that a quantity is measured by. */
export function groupOf(quantity: Quantity): Group {
  return SOURCES[quantity].group;
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function positive(value: unknown): number | null {
  const number = finite(value);
  return number === null ? null : Math.max(0, number);
}

function negative(value: unknown): number | null {
  const number = finite(value);
  return number === null ? null : Math.max(0, -number);
}
