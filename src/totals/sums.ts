// The sums of a part of a period, such as a local day: plain data that adds up, for any cut, to those of the whole.
import { mapOf, number, oneOf, orNull, partOf, type Shaped } from "../models/shape";
import { byName } from "../objects";
import { type Part, QUARTER } from "../site-calendar";
import { commonPart, joinedWindows, type TimeWindow } from "../time-units";
import { type Interval } from "./balance";
import { FLOWS, GROUPS, isBalance, QUANTITIES, SOURCES } from "./energies";
import { add, addAll, MONEY, type MoneySum } from "./money";

/** All that adds up over parts, by group. */
const AMOUNTS = {
  energy: QUANTITIES,
  // Without the counters.
  own: QUANTITIES,
  // Counted, but only shared out over time.
  estimated: QUANTITIES,
  flows: FLOWS,
  // Of the intervals with flows: solar energy, energy used, and the part of that which is our own, traced through the battery.
  use: ["solar", "used", "ownUsed"],
  // Consumption that was computed from the rest, and solar energy that third-party equipment must have made.
  inferred: ["consumption", "solar"],
  // How long each group was measured.
  covered: GROUPS,
  money: MONEY,
} as const;
type AmountGroup = keyof typeof AMOUNTS;
export const AMOUNT_GROUPS = Object.keys(AMOUNTS) as AmountGroup[];

/** Energy in Wh, times in milliseconds, money in the currency. What is absent is unknown, which is not 0. */
export type Amounts = {
  readonly [Group in AmountGroup]: Partial<Record<(typeof AMOUNTS)[Group][number], number>>;
};

const SPAN = { start: number, end: number };

/** Times in milliseconds. */
export const SUMS = {
  ...SPAN,
  days: number,
  amounts: partOf<Amounts>(byName(AMOUNT_GROUPS, () => mapOf(number))),
  missing: [SPAN],
  resets: [{ quantity: oneOf(QUANTITIES), at: number }],
  /** W. */
  peak: orNull({ power: number, start: number }),
} as const;

export type Sums = Shaped<typeof SUMS>;

const MEASURED = byName(GROUPS, (group) =>
  QUANTITIES.filter((quantity) => SOURCES[quantity].group === group),
);
/** Times that one message lists. */
const MAX_LISTED = 1000;

function noAmounts(): Amounts {
  return byName(AMOUNT_GROUPS, () => ({}));
}

/** Sums up the intervals of a part within a local day. Those that cross its edges count by their share of time. */
export function sumsOf(part: Part, intervals: readonly Interval[], money?: MoneySum): Sums {
  const amounts = noAmounts();
  const missing: TimeWindow[] = [];
  const resets: Sums["resets"][number][] = [];
  const quarters: Quarters = new Map();
  let reached = part.start;
  for (const interval of intervals) {
    if (interval.start >= part.end) break;
    if (interval.end <= part.start) continue;
    const { start, end } = commonPart(interval, part);
    const share = (end - start) / (interval.end - interval.start);
    addEnergies(amounts, interval, share);
    addFlows(amounts, interval, share);
    money?.add(interval, start, end);
    // Where an interval is cut, its end decides to which part a reset belongs.
    if (interval.end <= part.end)
      for (const quantity of interval.resets) resets.push({ quantity, at: interval.end });
    if (!interval.record) continue;
    if (start > reached) missing.push({ start: reached, end: start });
    reached = end;
    if (interval.measures("imported")) addQuarters(quarters, interval, start, end);
    for (const group of GROUPS)
      if (MEASURED[group].some((quantity) => interval.measures(quantity)))
        add(amounts.covered, group, end - start);
  }
  if (reached < part.end) missing.push({ start: reached, end: part.end });
  const { start, end, days } = part;
  return {
    start,
    end,
    days,
    amounts: { ...amounts, money: money?.settled() ?? {} },
    missing: missing.slice(0, MAX_LISTED),
    resets: resets.slice(0, MAX_LISTED),
    peak: highest(quarters),
  };
}

function addEnergies({ energy, own, estimated, inferred }: Amounts, interval: Interval, share: number): void {
  const { counted, energies, isDerived, estimated: shared } = interval;
  for (const quantity of QUANTITIES) {
    const all = counted[quantity];
    if (all !== null) add(energy, quantity, all * share);
    if (interval.measures(quantity)) add(own, quantity, (energies[quantity] ?? 0) * share);
  }
  for (const quantity of shared) add(estimated, quantity, (counted[quantity] ?? 0) * share);
  if (isDerived) add(inferred, "consumption", (energies.consumed ?? 0) * share);
  const others = { ...energies, solar: 0 };
  if (energies.solar !== null || !isBalance(others)) return;
  const { imported, exported, charged, discharged, consumed } = others;
  add(inferred, "solar", (consumed + exported + charged - imported - discharged) * share);
}

function addFlows(
  { flows: sums, use }: Amounts,
  { flows, gridShare, energies }: Interval,
  share: number,
): void {
  if (!flows) return;
  for (const name of FLOWS) add(sums, name, flows[name] * share);
  add(use, "solar", (energies.solar ?? 0) * share);
  add(use, "used", (energies.consumed ?? 0) * share);
  add(use, "ownUsed", (flows.solarToHome + flows.batteryToHome * (1 - gridShare)) * share);
}

/** The energy imported in each quarter of an hour, by its start, and how much of its time is covered. */
type Quarters = Map<number, { imported: number; time: number }>;

function addQuarters(
  quarters: Quarters,
  { start, end, energies: { imported } }: Interval,
  from: number,
  to: number,
): void {
  for (let quarter = Math.floor(from / QUARTER) * QUARTER; quarter < to; quarter += QUARTER) {
    const time = Math.min(quarter + QUARTER, to) - Math.max(quarter, from);
    const known = quarters.get(quarter) ?? { imported: 0, time: 0 };
    known.imported += ((imported ?? 0) * time) / (end - start);
    known.time += time;
    quarters.set(quarter, known);
  }
}

function highest(quarters: Quarters): Sums["peak"] {
  let peak: Sums["peak"] = null;
  for (const [start, { imported, time }] of quarters) {
    // 4 quarters of an hour.
    const power = 4 * imported;
    if (time >= QUARTER && (peak === null || power > peak.power)) peak = { power, start };
  }
  return peak;
}

/** Whether it is known, for any time of the sums, who fed whom. */
export function hasFlows({ amounts: { flows } }: Sums): boolean {
  return flows.loss !== undefined;
}

/** The sums of parts that follow each other. */
export function joinedSums(parts: readonly Sums[]): Sums {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) throw new RangeError("no parts to join");
  if (first === last) return first;
  const amounts = noAmounts();
  let days = 0;
  let peak: Sums["peak"] = null;
  for (const part of parts) {
    days += part.days;
    if (part.peak && (peak === null || part.peak.power > peak.power)) ({ peak } = part);
    for (const group of AMOUNT_GROUPS) addAll(amounts[group], part.amounts[group]);
  }
  const missing = joinedWindows(parts.flatMap((part) => part.missing)).slice(0, MAX_LISTED);
  const resets = parts.flatMap((part) => part.resets).slice(0, MAX_LISTED);
  return { start: first.start, end: last.end, days, amounts, missing, resets, peak };
}
