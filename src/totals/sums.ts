// The sums of a part of a period, such as a local day: plain data that adds up, for any cut, to those of the whole.
import { MINUTE } from "../time-units";
import { type Energies, energiesBy, type Group, groupOf, QUANTITIES, type Quantity } from "./balance";
import { FLOWS, type Flows, flowsBy } from "./flows";
import {
  addExchange,
  addMoney,
  type Exchange,
  type MoneyRule,
  type MoneySums,
  netted,
  noMoney,
} from "./money";
import type { TracedInterval } from "./trace";

/** A part of a period: times in milliseconds, with its share of local days and months, for fixed costs. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly days: number;
  readonly months: number;
  /** Local time minus UTC at the start, in milliseconds. */
  readonly offset: number;
}

interface Span {
  start: number;
  end: number;
}

/** Energy in Wh, times in milliseconds. */
export interface Sums extends Span {
  /** The end of the last record in the part; its start if there is none. */
  until: number;
  energy: Energies;
  /** Without the counters. */
  ownEnergy: Energies;
  flows: Record<keyof Flows, number> | null;
  /** Of the intervals with flows: solar energy, energy used, and the part of that which is our own, traced through the battery. */
  solar: number;
  used: number;
  ownUsed: number;
  /** How long each group was measured, and any. */
  covered: Partial<Record<Group | "any", number>>;
  missing: Span[];
  estimated: Partial<Record<Quantity, number>>;
  resets: { quantity: Quantity; at: number }[];
  /** Consumption that was computed from the rest. */
  derived: number;
  /** Solar energy that third-party equipment must have made, where all else is known. */
  thirdPartySolar: number | null;
  peak: { power: number; start: number } | null;
  money: MoneySums | null;
  days: number;
  months: number;
}

const PEAK_BLOCK = 15 * MINUTE;
/** Times that one message lists. */
const MAX_LISTED = 1000;

/** Sums up the intervals of a part. Those that cross its edges count by their share of time. */
export function sumsOf(part: Part, intervals: readonly TracedInterval[], rule: MoneyRule | undefined): Sums {
  const sums = emptySums(part, rule !== undefined);
  const peaks = new Map<number, { imported: number; time: number }>();
  const blocks = new Map<number, Exchange>();
  let reached = part.start;
  for (const interval of intervals) {
    const start = Math.max(interval.start, part.start);
    const end = Math.min(interval.end, part.end);
    if (start >= end) continue;
    const share = (end - start) / (interval.end - interval.start);
    addEnergies(sums, interval, share);
    addFlows(sums, interval, share);
    if (!interval.isGap) {
      if (start > reached) sums.missing.push({ start: reached, end: start });
      reached = end;
      addCoverage(sums, interval, end - start);
      addPeaks(peaks, interval, start, end);
    }
    if (rule && sums.money) {
      const exchanges = addMoney(sums.money, interval, { start, end }, rule);
      if (typeof rule.netting === "number") addBlocks(blocks, exchanges, rule.netting * MINUTE, part.offset);
    }
  }
  sums.until = reached;
  if (reached < part.end) sums.missing.push({ start: reached, end: part.end });
  sums.peak = highest(peaks);
  if (rule && sums.money) settle(sums.money, rule, [...blocks.values()]);
  return sums;
}

function emptySums({ start, end, days, months }: Part, hasPrices: boolean): Sums {
  const unknown = energiesBy(() => null);
  return {
    start,
    end,
    until: start,
    energy: unknown,
    ownEnergy: unknown,
    flows: null,
    solar: 0,
    used: 0,
    ownUsed: 0,
    covered: {},
    missing: [],
    estimated: {},
    resets: [],
    derived: 0,
    thirdPartySolar: null,
    peak: null,
    money: hasPrices ? noMoney() : null,
    days,
    months,
  };
}

function addEnergies(
  sums: Sums,
  { counted, energies, isGap, isDerived, resets, end }: TracedInterval,
  share: number,
): void {
  sums.energy = energiesBy((quantity) => plus(sums.energy[quantity], scaled(counted[quantity], share)));
  if (isGap) {
    for (const quantity of QUANTITIES) {
      const energy = counted[quantity];
      if (energy !== null) sums.estimated[quantity] = (sums.estimated[quantity] ?? 0) + energy * share;
    }
  } else {
    sums.ownEnergy = energiesBy((quantity) =>
      plus(sums.ownEnergy[quantity], scaled(energies[quantity], share)),
    );
  }
  if (isDerived) sums.derived += (energies.consumed ?? 0) * share;
  // Where an interval is cut, its end decides to which part a reset belongs.
  if (end <= sums.end && sums.resets.length < MAX_LISTED)
    for (const quantity of resets) sums.resets.push({ quantity, at: end });
}

function addFlows(sums: Sums, { flows, gridShare, energies }: TracedInterval, share: number): void {
  const { solar, imported, exported, charged, discharged, consumed } = energies;
  if (
    solar === null &&
    imported !== null &&
    exported !== null &&
    charged !== null &&
    discharged !== null &&
    consumed !== null
  ) {
    const unmeasured = Math.max(0, consumed + exported + charged - imported - discharged);
    sums.thirdPartySolar = (sums.thirdPartySolar ?? 0) + unmeasured * share;
  }
  if (!flows) return;
  sums.flows ??= flowsBy(() => 0);
  for (const name of FLOWS) sums.flows[name] += flows[name] * share;
  sums.solar += (solar ?? 0) * share;
  sums.used += (consumed ?? 0) * share;
  sums.ownUsed += (flows.solarToHome + flows.batteryToHome * (1 - gridShare)) * share;
}

function addCoverage({ covered }: Sums, { groups, energies }: TracedInterval, time: number): void {
  covered.any = (covered.any ?? 0) + time;
  for (const group of groups) {
    const isKnown = QUANTITIES.some((quantity) => groupOf(quantity) === group && energies[quantity] !== null);
    if (isKnown) covered[group] = (covered[group] ?? 0) + time;
  }
  if (!groups.includes("consumption") && energies.consumed !== null)
    covered.consumption = (covered.consumption ?? 0) + time;
}

/** Energy imported and time covered by each quarter of an hour. All zones of today are whole quarters away from UTC. */
function addPeaks(
  peaks: Map<number, { imported: number; time: number }>,
  { start, end, energies: { imported } }: TracedInterval,
  from: number,
  to: number,
): void {
  if (imported === null) return;
  for (let block = Math.floor(from / PEAK_BLOCK) * PEAK_BLOCK; block < to; block += PEAK_BLOCK) {
    const time = Math.min(block + PEAK_BLOCK, to) - Math.max(block, from);
    const known = peaks.get(block) ?? { imported: 0, time: 0 };
    known.imported += (imported * time) / (end - start);
    known.time += time;
    peaks.set(block, known);
  }
}

function highest(peaks: ReadonlyMap<number, { imported: number; time: number }>): Sums["peak"] {
  let peak: Sums["peak"] = null;
  for (const [start, { imported, time }] of peaks) {
    // 4 quarters of an hour.
    const power = 4 * imported;
    if (time >= PEAK_BLOCK && (peak === null || power > peak.power)) peak = { power, start };
  }
  return peak;
}

function addBlocks(
  blocks: Map<number, Exchange>,
  exchanges: readonly (Exchange & { start: number })[],
  length: number,
  offset: number,
): void {
  for (const exchange of exchanges) {
    const block = Math.floor((exchange.start + offset) / length);
    const known = blocks.get(block) ?? { imported: 0, exported: 0, cost: 0, worth: 0 };
    addExchange(known, exchange);
    blocks.set(block, known);
  }
}

/** Netting over blocks of the part or, by the day, over the part; over longer times it is left to the whole period. */
function settle(money: MoneySums, { netting }: MoneyRule, blocks: readonly Exchange[]): void {
  if (netting === "day") Object.assign(money, netted(money.gross));
  else if (typeof netting === "number") {
    for (const block of blocks) {
      const { cost, worth } = netted(block);
      money.cost += cost;
      money.worth += worth;
    }
  } else {
    money.cost = money.gross.cost;
    money.worth = money.gross.worth;
  }
}

/** The sums of parts that follow each other. */
export function joinedSums(parts: readonly Sums[]): Sums {
  const [first, ...others] = parts;
  if (!first) throw new RangeError("no parts to join");
  return others.reduce(joined, first);
}

function joined(one: Sums, next: Sums): Sums {
  const both = (a: number | null, b: number | null): number | null => (b === null ? a : plus(a, b));
  return {
    start: one.start,
    end: next.end,
    until: next.until > next.start ? next.until : one.until,
    energy: energiesBy((quantity) => both(one.energy[quantity], next.energy[quantity])),
    ownEnergy: energiesBy((quantity) => both(one.ownEnergy[quantity], next.ownEnergy[quantity])),
    flows: joinedFlows(one.flows, next.flows),
    solar: one.solar + next.solar,
    used: one.used + next.used,
    ownUsed: one.ownUsed + next.ownUsed,
    covered: added(one.covered, next.covered),
    missing: joinedSpans([...one.missing, ...next.missing]),
    estimated: added(one.estimated, next.estimated),
    resets: [...one.resets, ...next.resets].slice(0, MAX_LISTED),
    derived: one.derived + next.derived,
    thirdPartySolar: both(one.thirdPartySolar, next.thirdPartySolar),
    peak: !one.peak || (next.peak && next.peak.power > one.peak.power) ? next.peak : one.peak,
    money: one.money && next.money ? joinedMoney(one.money, next.money) : (one.money ?? next.money),
    days: one.days + next.days,
    months: one.months + next.months,
  };
}

function joinedFlows(one: Sums["flows"], next: Sums["flows"]): Sums["flows"] {
  return one && next ? flowsBy((name) => one[name] + next[name]) : (one ?? next);
}

function joinedMoney(one: MoneySums, next: MoneySums): MoneySums {
  const gross = { ...one.gross };
  addExchange(gross, next.gross);
  return {
    gross,
    used: one.used + next.used,
    priced: one.priced + next.priced,
    pricedTime: one.pricedTime + next.pricedTime,
    cost: one.cost + next.cost,
    worth: one.worth + next.worth,
    delivery: one.delivery + next.delivery,
    baseline: one.baseline + next.baseline,
    solarSaving: one.solarSaving + next.solarSaving,
    batterySaving: one.batterySaving + next.batterySaving,
    effective: one.effective + next.effective,
    valueChange: one.valueChange + next.valueChange,
  };
}

/** Spans in order, with those that touch as one. */
function joinedSpans(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const { start, end } of spans) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (all.length < MAX_LISTED) all.push({ start, end });
  }
  return all;
}

function added<Name extends string>(
  one: Partial<Record<Name, number>>,
  other: Partial<Record<Name, number>>,
): Partial<Record<Name, number>> {
  const sum = { ...one };
  for (const name of Object.keys(other) as Name[]) sum[name] = (sum[name] ?? 0) + (other[name] ?? 0);
  return sum;
}

function plus(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return one + other;
}

function scaled(value: number | null, share: number): number | null {
  return value === null ? null : value * share;
}
