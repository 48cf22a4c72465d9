// What is usual for the records of a series, learned from the last of them: how long they are, and the break after each.
import { HOUR } from "../time-units";
import type { Ledger } from "./ledger";
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

/** @param more records that are being delivered */
export function usualOf({ delivered }: Ledger, more: readonly TimeWindow[] = []): Usual {
  const known = delivered.slice(-SAMPLE).map(([start, end]) => ({ start, end }));
  const sample = [...known, ...more.slice(-SAMPLE)].toSorted((a, b) => a.start - b.start).slice(-SAMPLE);
  if (sample.length < MIN_SAMPLE) return { length: Number.POSITIVE_INFINITY, break: SEAM };
  const lengths = sample.map(({ start, end }) => end - start).toSorted((a, b) => a - b);
  const length = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
  let knownTo = sample[0]?.start ?? 0;
  const breaks = sample.flatMap(({ start, end }, index) => {
    const before = start - knownTo;
    const isRepeated = index === 0 || sample[index - 1]?.start === start;
    knownTo = Math.max(knownTo, end);
    return isRepeated ? [] : [before];
  });
  // A longer one is a missing record: it says nothing about how the others end.
  const short = breaks.filter((one) => one < length / 2).toSorted((a, b) => a - b);
  const isRule = short.length >= MIN_BREAKS && short.every((one) => one > SEAM);
  return { length, break: isRule ? 1.5 * (short[Math.floor(short.length / 2)] ?? 0) : SEAM };
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
