// Which rows of a statistic have to be written so that each hour has its energy: pure, from what Home Assistant has and what totals says.
import { HOUR } from "../time-units";

/** What totals says of an hour: its energy, in Wh, or money. */
export interface Hour {
  readonly energy: number;
  /** The lifetime counter at its end, if there is one. */
  readonly state?: number | undefined;
}

/** A row of a statistic; `start` of the UTC hour in milliseconds. `sum` adds up all hours since the first row, which is 0. */
export interface StatisticRow {
  readonly start: number;
  readonly sum: number;
  readonly state: number;
}

/** A row that Home Assistant has. */
export interface KnownRow extends Omit<StatisticRow, "state"> {
  /** From the row before it, wherever that lies; its sum if there is none. */
  readonly change?: number | undefined;
  readonly state?: number | undefined;
}

/** Differences below this, in Wh or money, are rounding. */
const TOLERANCE = 1e-4;

/**
 * The rows to write, in order of time, the energies of their hours, and the hours that had no energy before or another, with how
 * many of these had another.
 * @param hours by their start, in order
 * @param known the rows from the hour before the first of these hours on, in order
 * @param last the sum of the last row of all, where none is known
 */
export function plannedRows(
  hours: ReadonlyMap<number, Hour>,
  known: readonly KnownRow[],
  last: number | undefined,
): { rows: StatisticRow[]; energies: Map<number, Hour>; changed: number[]; corrected: number } {
  const all = new Map<number, Hour & { readonly sum?: number }>();
  const [oldest] = known;
  const before = oldest ? oldest.sum - (oldest.change ?? oldest.sum) : (last ?? 0);
  let reached = before;
  for (const { start, sum, state } of known) {
    // A state that is the sum goes with it.
    all.set(start, { energy: sum - reached, state: isSame(sum, state) ? undefined : state, sum });
    reached = sum;
  }
  const [first = 0] = hours.keys();
  const changed: number[] = [];
  let corrected = 0;
  for (const [start, hour] of hours) {
    const had = all.get(start);
    if (had && isSame(had.energy, hour.energy)) continue;
    // The very first row is of no hour.
    const isFirst = start === oldest?.start && isSame(before, 0) && isSame(oldest.sum, 0);
    if (had && !isFirst) corrected += 1;
    changed.push(start);
    all.set(start, { ...had, ...hour, state: hour.state ?? had?.state });
  }
  // A row of 0 more does no harm where the one before it is 0, too.
  const isBeginning = isSame(before, 0) && !known.some(({ start }) => start < first);
  const { energy = 0, state } = hours.get(first) ?? {};
  // The dashboard shows the sum of the very first row as its energy.
  if (isBeginning) all.set(first - HOUR, { energy: 0, state: state === undefined ? state : state - energy });
  const rows: StatisticRow[] = [];
  const energies = new Map<number, Hour>();
  let sum = before;
  for (const [start, { sum: had, ...hour }] of [...all].toSorted(([one], [other]) => one - other)) {
    sum = isSame(sum + hour.energy, had) ? (had ?? sum) : sum + hour.energy;
    if (isSame(sum, had)) continue;
    rows.push({ start, sum, state: hour.state ?? sum });
    if (start >= first) energies.set(start, hour);
  }
  return { rows, energies, changed, corrected };
}

/** The first row that Home Assistant does not have as it was written; undefined if it has all of them. */
export function firstDifference(
  written: readonly StatisticRow[],
  found: readonly KnownRow[],
): StatisticRow | undefined {
  const sums = new Map(found.map(({ start, sum }) => [start, sum]));
  return written.find(({ start, sum }) => !isSame(sum, sums.get(start)));
}

function isSame(one: number, other: number | undefined): boolean {
  return other !== undefined && Math.abs(one - other) <= TOLERANCE;
}
