// Which rows of a statistic have to be written so that each hour has its energy: pure, from what Home Assistant has and what totals says.
import { HOUR } from "../time-units";

/** A row of a statistic; `start` of the UTC hour in milliseconds. `sum` adds up all hours since the first row, which is 0. */
export interface Row {
  readonly start: number;
  readonly sum: number;
}

/** A row that Home Assistant has. */
export interface KnownRow extends Row {
  /** From the row before it, wherever that lies; its sum if there is none. */
  readonly change: number | undefined;
}

export interface RowPlan {
  /** In order of time. */
  readonly rows: readonly Row[];
  /** Hours that had another energy, or none, before. */
  readonly added: number;
  readonly corrected: number;
}

/** Differences below this, in Wh or money, are rounding. */
const TOLERANCE = 1e-4;

/**
 * @param hours the energy of hours, by their start
 * @param known the rows from the hour before the first of these hours on, in order
 * @param last the sum of the last row of all, where none is known
 */
export function plannedRows(
  hours: ReadonlyMap<number, number>,
  known: readonly KnownRow[],
  last: number | undefined,
): RowPlan {
  const changes = new Map<number, number>();
  const sums = new Map<number, number>();
  const [oldest] = known;
  const before = oldest ? oldest.sum - (oldest.change ?? oldest.sum) : (last ?? 0);
  let reached = before;
  for (const { start, sum } of known) {
    changes.set(start, sum - reached);
    sums.set(start, sum);
    reached = sum;
  }
  const first = Math.min(...hours.keys());
  let added = 0;
  let corrected = 0;
  for (const [start, energy] of hours) {
    const change = changes.get(start);
    if (change === undefined) added += 1;
    else if (Math.abs(change - energy) > TOLERANCE) corrected += 1;
    else continue;
    changes.set(start, energy);
  }
  const rows: Row[] = [];
  // A row of 0 more does no harm where the one before it is 0, too.
  const isBeginning = isSame(before, 0) && !known.some(({ start }) => start < first);
  // The dashboard shows the sum of the very first row as its energy.
  if (isBeginning && hours.size > 0) changes.set(first - HOUR, 0);
  let sum = before;
  for (const [start, change] of [...changes].toSorted(([one], [other]) => one - other)) {
    sum = isSame(sum + change, sums.get(start)) ? (sums.get(start) ?? sum) : sum + change;
    if (!isSame(sum, sums.get(start))) rows.push({ start, sum });
  }
  return { rows, added, corrected };
}

/** The first row that Home Assistant does not have as it was written; undefined if it has all of them. */
export function firstDifference(written: readonly Row[], found: readonly Row[]): Row | undefined {
  const sums = new Map(found.map(({ start, sum }) => [start, sum]));
  return written.find(({ start, sum }) => !isSame(sum, sums.get(start)));
}

function isSame(one: number, other: number | undefined): boolean {
  return other !== undefined && Math.abs(one - other) <= TOLERANCE;
}
