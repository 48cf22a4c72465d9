// What is usual for the records of a series, learned from the last of them: how long they are, and the break after each.
import { HOUR } from "../time-units";
import type { Delivered } from "./ledger";
import { MAX_WINDOW, type TimeWindow } from "./window";

/** In milliseconds. */
export interface Usual {
  /** Half of the records are at most this long. Infinity while there are too few. */
  readonly length: number;
  /** The longest break between two records that is no gap. */
  readonly break: number;
}

/** A break as long as this may be a matter of rounding. */
const SEAM = 2000;
const SAMPLE = 24;
const MIN_SAMPLE = 4;
/** Fewer breaks in a row may be chance. */
const MIN_BREAKS = 8;
/** A record so many times as long as usual stands in for those that are missing. */
const LONG = 2.5;
/** Delivered records are remembered for at least this long, and so many of them. */
const MIN_MEMORY = HOUR;
const MIN_REMEMBERED = 12;

/** @param delivered ordered by start */
export function usualOf(delivered: readonly Delivered[]): Usual {
  const first = Math.max(0, delivered.length - SAMPLE);
  const lengths: number[] = [];
  const breaks: number[] = [];
  let knownTo = delivered[first]?.[0] ?? 0;
  for (let index = first; index < delivered.length; index += 1) {
    const [start, end] = delivered[index] ?? [0, 0];
    lengths.push(end - start);
    if (index > first && delivered[index - 1]?.[0] !== start) breaks.push(start - knownTo);
    knownTo = Math.max(knownTo, end);
  }
  if (lengths.length < MIN_SAMPLE) return { length: Number.POSITIVE_INFINITY, break: SEAM };
  const length = ascending(lengths)[Math.floor((lengths.length - 1) / 2)] ?? 0;
  // A longer one is a missing record: it says nothing about how the others end.
  const short = ascending(breaks.filter((one) => one < length / 2));
  const isRule = short.length >= MIN_BREAKS && (short[0] ?? 0) > SEAM;
  return { length, break: isRule ? 1.5 * (short[Math.floor(short.length / 2)] ?? 0) : SEAM };
}

/** Most are, because they are all the same: this is done for each portion of records. */
function ascending(numbers: readonly number[]): readonly number[] {
  return numbers.every((one, index) => index === 0 || one >= (numbers[index - 1] ?? 0))
    ? numbers
    : numbers.toSorted((a, b) => a - b);
}

/** Whether a record is a placeholder, or a sum: shorter ones may still come, and it must not hide them. */
export function isLong({ start, end }: TimeWindow, usual: Usual): boolean {
  return end - start > LONG * usual.length;
}

/** How long records have to be remembered so that the usual can be learned from them. */
export function memoryFor({ length }: Usual): number {
  const long = MIN_REMEMBERED * (Number.isFinite(length) ? length : 0);
  return Math.min(Math.max(MIN_MEMORY, long), MAX_WINDOW);
}
