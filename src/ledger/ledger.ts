// The ledger of one series of records: what is delivered and what is owed, so that no record is missed or repeated; and what is
// usual for its records, learned from the last of them.
import type { TimedRecord } from "../models/telemetry";
import { hasOffset, serviceTimeReader } from "../models/time";
import { AHEAD, HOUR, isoTime, MAX_WINDOW, MINUTE, type TimeWindow } from "../time-units";

/** Start and end of a delivered record in milliseconds, and a hash of its content if records are re-read. */
export type Delivered = readonly [start: number, end: number, fingerprint?: string];

/** Characters of a fingerprint: 30 bits tell apart two versions of one record. */
export const FINGERPRINT_LENGTH = 5;

/** An interval without records that is requested again. Plain data; all in milliseconds. */
export interface Gap extends TimeWindow {
  /**
   * For how long the series had been watched when an answer first showed the gap. Undefined: an answer is owed, because there
   * was none, or because records came back after silence.
   */
  readonly noticed: number | undefined;
  /** Of silence, which grows: up to where it had been requested when it was noticed. */
  readonly noticedEnd?: number | undefined;
  /** When a scheduled run may request it again, and the pause that led to this time: 0 = given up before, to be requested once. */
  readonly nextRequest: number;
  readonly pause: number;
  /**
   * Of a long gap: the number of the day that is requested next, and counted on once the gap is due to be given up. Undefined
   * until it has been requested as a whole.
   */
  readonly turn?: number | undefined;
}

/** Plain data; its stored form is shorter (see stored-ledger.ts). */
export interface Ledger {
  /** End of the newest delivered record, as the service wrote it; the next request starts here. */
  readonly cursor: string;
  /** `delivered` is complete from this time on; milliseconds. */
  readonly knownFrom: number;
  /** The last delivered records, and older ones at gaps, to recognize them when they are read again. Ordered by start. */
  readonly delivered: readonly Delivered[];
  /** Intervals without records that are still requested. At most one begins at the cursor: silence, which has no end yet. */
  readonly gaps: readonly Gap[];
  /** Of silence that was given up: the end of the newest record. What came meanwhile is requested once when records come back. */
  readonly silentFrom: number | undefined;
  /** For how long the series has been read without failures while gaps were open; milliseconds. */
  readonly watched: number;
  /** When the last complete run ended, in milliseconds; only in a ledger that travels. */
  readonly completed?: number | undefined;
}

export interface LedgerRule {
  /** How far before the cursor records are re-read for corrections, in milliseconds. */
  lookBack: number;
  /** Whether gaps between records are requested until they are given up; otherwise only what never had an answer is. */
  fillsGaps: boolean;
  /** How long a gap is requested before it is given up, in milliseconds. */
  gapHorizon: number;
  /** Milliseconds before a scheduled run first requests a gap; later pauses grow. */
  gapRetryDelay: number;
}

/** When something happens to a ledger: by the clock, and by how long the series has been watched; milliseconds. */
export interface LedgerMoment {
  now: number;
  watched: number;
}

/** A ledger that owes everything from `start` (milliseconds) on. */
export function newLedger(start: number): Ledger {
  const cursor = isoTime(start);
  return { cursor, knownFrom: start, delivered: [], gaps: [], silentFrom: undefined, watched: 0 };
}

/** A run needs the same one again and again. */
const timeOf = serviceTimeReader();

export function cursorTime({ cursor }: Pick<Ledger, "cursor">): number {
  return timeOf(cursor) ?? 0;
}

/** The silence after the newest record, as far as it was noticed. */
export function silenceOf(ledger: Ledger): Gap | undefined {
  const time = cursorTime(ledger);
  return ledger.gaps.find(({ start }) => start >= time);
}

/** Up to where everything after the cursor has been requested at least once, in milliseconds. */
export function frontier(ledger: Ledger): number {
  return silenceOf(ledger)?.end ?? cursorTime(ledger);
}

/** The end of a record as a cursor: as the service wrote it, but with an offset, so that a flow can start from it. */
export function cursorText({ record: { endTime }, end }: TimedRecord): string {
  return hasOffset(endTime) ? endTime : isoTime(end);
}

/**
 * The next window to request, at most 24 hours: from where `owedFrom` says, or later in a run from `after` on. Undefined once
 * the run has reached now.
 */
export function owedWindow(
  ledger: Ledger,
  now: number,
  rule: LedgerRule,
  after?: number,
): TimeWindow | undefined {
  const start = after ?? owedFrom(ledger, now, rule);
  const end = Math.min(start + MAX_WINDOW, now + AHEAD);
  // Time passes while a run reads: what is shorter than any record is left to the next run.
  return start < end && (after === undefined || now - after >= MINUTE) ? { start, end } : undefined;
}

/**
 * Where a run begins to read: at the end of the silence that is known, or at the cursor minus the look-back.
 * @param isWhole whether silence is requested from its beginning
 */
export function owedFrom(ledger: Ledger, now: number, rule: LedgerRule, isWhole = false): number {
  const cursor = cursorTime(ledger);
  const silence = silenceOf(ledger);
  // A clock that was ahead has noticed what reaches beyond now.
  if (silence && !isWhole && silence.end <= now) return silence.end;
  const start = Math.max(cursor - rule.lookBack, Math.min(cursor, ledger.knownFrom));
  // Half a gap would be filled before its beginning is requested, and so out of order.
  const cut = ledger.gaps.find((gap) => gap.start < start && start < gap.end);
  if (!cut) return start;
  return start - cut.start <= rule.lookBack ? cut.start : Math.min(cut.end, cursor);
}

/** In milliseconds. */
export interface Usual {
  /** Half of the records are at most this long. Infinity while there are too few. */
  readonly length: number;
  /** The longest break between two records that is no gap. */
  readonly break: number;
}

/** Some services end a record a second before the next begins, or after: such a break is none. */
export const TOLERATED_BREAK = 2000;
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
  if (lengths.length < MIN_SAMPLE) return { length: Number.POSITIVE_INFINITY, break: TOLERATED_BREAK };
  const length = ascending(lengths)[Math.floor((lengths.length - 1) / 2)] ?? 0;
  // A longer one is a missing record: it says nothing about how the others end.
  const short = ascending(breaks.filter((one) => one < length / 2));
  const isRule = short.length >= MIN_BREAKS && (short[0] ?? 0) > TOLERATED_BREAK;
  return { length, break: isRule ? 1.5 * (short[Math.floor(short.length / 2)] ?? 0) : TOLERATED_BREAK };
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
