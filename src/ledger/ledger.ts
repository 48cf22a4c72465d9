// The ledger of one series of records: what has been delivered and what is owed, so that every record comes once.
import { createHash } from "node:crypto";
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import { DueRecord } from "./due-record";
import { isFresh, type RecordPhase } from "../decisions/freshness";
import { askedGaps, fillGap, type Gap, noticeHole, openGaps } from "./gaps";
import type { TimedRecord } from "../models/timed-record";
import { isInWindow, LONGEST_WINDOW, type TimeWindow } from "./window";
import { HOUR, MINUTE } from "../time-units";

/** Start and end of a delivered record in milliseconds, and what it said where records are read again. */
export type Delivered = readonly [start: number, end: number, fingerprint?: string];

/** Plain data: it is stored as JSON. */
export interface Ledger {
  /** End of the newest delivered record, as the service wrote it: the next request starts there. */
  readonly cursor: string;
  /** From here on `delivered` knows every delivered record; milliseconds. */
  readonly knownFrom: number;
  /** The records delivered last: they are known when they come again. */
  readonly delivered: readonly Delivered[];
  /** Holes between delivered records that are still asked for. */
  readonly gaps: readonly Gap[];
}

/** What a series is read by. */
export interface LedgerRule {
  maxAgeMinutes: number;
  /** How far before the cursor records are read again, in milliseconds. */
  lookBack: number;
  /** How long a gap is asked for, in milliseconds; 0 = never. */
  gapHorizon: number;
  /** After how many milliseconds a run by the clock asks for a gap first; later pauses grow. */
  gapPause: number;
}

/** How far past now a request reaches, so that clocks that differ a little lose nothing. */
const AHEAD = 5 * MINUTE;
const SHORTEST_MEMORY = HOUR;

/** A ledger that owes everything from `start` (milliseconds) on. */
export function openLedger(start: number): Ledger {
  return { cursor: new Date(start).toISOString(), knownFrom: start, delivered: [], gaps: [] };
}

/** Where the series stands, in milliseconds. */
export function cursorTime(ledger: Ledger): number {
  return parseServiceTime(ledger.cursor) ?? 0;
}

/**
 * What is to be asked for next: from the cursor on, less what is read again, or further in the same run from `after` on.
 * At most 24 hours. Undefined when the run has reached now.
 */
export function owedWindow(
  ledger: Ledger,
  now: number,
  rule: LedgerRule,
  after?: number,
): TimeWindow | undefined {
  const cursor = cursorTime(ledger);
  const start =
    after === undefined ? Math.max(cursor - rule.lookBack, Math.min(cursor, ledger.knownFrom)) : after;
  const end = Math.min(start + LONGEST_WINDOW, now + AHEAD);
  return start < end && (after === undefined || after < now) ? { start, end } : undefined;
}

/**
 * Which records of an answer are due. A record that ends in the future waits. A record that was delivered is due again
 * with a later end, or with other numbers within the look-back, as `revised`; one that was passed over as `late`.
 */
export function dueRecords(
  ledger: Ledger,
  answer: readonly TimedRecord[],
  { window, now, rule }: { window: TimeWindow; now: number; rule: LedgerRule },
): DueRecord[] {
  const delivered = new Map(ledger.delivered.map((entry) => [entry[0], entry]));
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const timed of answer) {
    if (timed.end > now || !isInWindow(timed, window)) continue;
    const phase = phaseOf(timed, { ledger, known: delivered.get(timed.start), newestEnd, now, rule });
    if (!phase) continue;
    if (timed.end > newestEnd) {
      newestEnd = timed.end;
      cursor = timed.record.endTime;
    }
    due.push(new DueRecord(timed, phase, cursor, rule.lookBack > 0 ? fingerprintOf(timed) : undefined));
  }
  return due;
}

interface Standing {
  ledger: Ledger;
  known: Delivered | undefined;
  newestEnd: number;
  now: number;
  rule: LedgerRule;
}

function phaseOf(
  timed: TimedRecord,
  { ledger, known, newestEnd, now, rule }: Standing,
): RecordPhase | undefined {
  if (known) {
    const [, end, fingerprint] = known;
    const isChanged = rule.lookBack > 0 && fingerprint !== undefined && fingerprint !== fingerprintOf(timed);
    return timed.end > end || (isChanged && timed.end === end) ? "revised" : undefined;
  }
  if (ledger.gaps.some((gap) => gap.follows === timed.start && timed.end > gap.start)) return "revised";
  if (timed.end > newestEnd) return isFresh(timed.end, now, rule.maxAgeMinutes) ? "live" : "catchup";
  const isOwed = timed.start >= ledger.knownFrom || ledger.gaps.some((gap) => isInWindow(timed, gap));
  return isOwed ? "late" : undefined;
}

/** The ledger once these due records are delivered; holes between them are noted. */
export function withRecords(
  ledger: Ledger,
  due: readonly DueRecord[],
  now: number,
  rule: LedgerRule,
): Ledger {
  if (due.length === 0) return ledger;
  const delivered = new Map(ledger.delivered.map((entry) => [entry[0], entry]));
  let { cursor, gaps } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const record of due) {
    const isAfterHole = newestEnd < record.start && rule.gapHorizon > 0;
    if (isAfterHole) {
      const [follows] = [...delivered.values()].find(([, end]) => end === newestEnd) ?? [];
      gaps = [...gaps, ...noticeHole({ start: newestEnd, end: record.start }, now, rule.gapPause, follows)];
    }
    if (gaps.length > 0) gaps = fillGap(gaps, record);
    if (record.end > newestEnd) {
      newestEnd = record.end;
      cursor = record.endTime;
    }
    const { start, fingerprint } = record;
    delivered.set(start, fingerprint === undefined ? [start, record.end] : [start, record.end, fingerprint]);
  }
  const knownFrom = Math.max(ledger.knownFrom, newestEnd - Math.max(SHORTEST_MEMORY, rule.lookBack));
  return { cursor, knownFrom, delivered: [...delivered.values()].filter(([, end]) => end > knownFrom), gaps };
}

/** The ledger once these gaps were asked for: by the clock they are asked for again after a longer pause. */
export function withAskedGaps(ledger: Ledger, asked: readonly Gap[], now: number): Ledger {
  return asked.length > 0 ? { ...ledger, gaps: askedGaps(ledger.gaps, asked, now) } : ledger;
}

/**
 * The ledger after every owed window was read. What lies far back and had no records is taken as empty, so that a site
 * without data does not cost more requests from day to day; gaps that are too old are given up.
 */
export function settle(ledger: Ledger, now: number, rule: LedgerRule): Ledger {
  const gaps = openGaps(ledger.gaps, now, rule.gapHorizon);
  const oldest = now - Math.max(rule.gapHorizon, LONGEST_WINDOW);
  if (cursorTime(ledger) < oldest) return { ...ledger, gaps, cursor: new Date(oldest).toISOString() };
  return gaps.length === ledger.gaps.length ? ledger : { ...ledger, gaps };
}

/**
 * Short, and different for different contents: enough to see that a record has changed. Its times are compared as such,
 * and the order of fields says nothing.
 */
function fingerprintOf({ record }: TimedRecord): string {
  const { startTime: _start, endTime: _end, ...content } = record;
  return createHash("sha1").update(JSON.stringify(content, sorted)).digest("base64url").slice(0, 8);
}

function sorted(_name: string, value: unknown): unknown {
  if (!isServiceObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
