// The ledger of one series of records: what is delivered and what is owed, so that no record is missed or repeated.
import { createHash } from "node:crypto";
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import { DueRecord } from "./due-record";
import { isFresh, type RecordPhase } from "../decisions/freshness";
import { retriedGaps, fillGap, type Gap, newGaps, openGaps } from "./gaps";
import type { TimedRecord } from "../models/timed-record";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "./window";
import { HOUR, MINUTE } from "../time-units";

/** Start and end of a delivered record in milliseconds, and a hash of its content if records are re-read. */
export type Delivered = readonly [start: number, end: number, fingerprint?: string];

/** Plain data, stored as JSON. */
export interface Ledger {
  /** End of the newest delivered record, as the service wrote it; the next request starts here. */
  readonly cursor: string;
  /** `delivered` is complete from this time on; milliseconds. */
  readonly knownFrom: number;
  /** The last delivered records, to recognize them when they are read again. */
  readonly delivered: readonly Delivered[];
  /** Gaps between delivered records that are still retried. */
  readonly gaps: readonly Gap[];
}

/** How a series is read. */
export interface LedgerRule {
  maxAgeMinutes: number;
  /** How far before the cursor records are re-read for corrections, in milliseconds. */
  lookBack: number;
  /** How long a gap is retried, in milliseconds; 0 = never. */
  gapHorizon: number;
  /** Milliseconds before a scheduled run first retries a gap; later delays grow. */
  gapRetryDelay: number;
}

/** How far past now a request reaches, so that a small clock difference loses no records. */
const AHEAD = 5 * MINUTE;
/** Delivered records are remembered for at least this long. */
const MIN_MEMORY = HOUR;

/** A ledger that owes everything from `start` (milliseconds) on. */
export function newLedger(start: number): Ledger {
  return { cursor: new Date(start).toISOString(), knownFrom: start, delivered: [], gaps: [] };
}

/** The cursor in milliseconds. */
export function cursorTime(ledger: Ledger): number {
  return parseServiceTime(ledger.cursor) ?? 0;
}

/**
 * The next window to request, at most 24 hours: from the cursor minus the look-back, or later in a run from `after` on.
 * Undefined once the run has reached now.
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
  const end = Math.min(start + MAX_WINDOW, now + AHEAD);
  return start < end && (after === undefined || after < now) ? { start, end } : undefined;
}

/**
 * The records of a response that are due. A record that ends in the future waits. A delivered record is due again, as
 * `revised`, if its end moved later or, within the look-back, its values changed. One that was missed is due as `late`.
 */
export function dueRecords(
  ledger: Ledger,
  response: readonly TimedRecord[],
  { window, now, rule }: { window: TimeWindow; now: number; rule: LedgerRule },
): DueRecord[] {
  const delivered = new Map(ledger.delivered.map((entry) => [entry[0], entry]));
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const timed of response) {
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

interface PhaseContext {
  ledger: Ledger;
  known: Delivered | undefined;
  newestEnd: number;
  now: number;
  rule: LedgerRule;
}

function phaseOf(
  timed: TimedRecord,
  { ledger, known, newestEnd, now, rule }: PhaseContext,
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

/** The ledger once these records are delivered, including any gaps between them. */
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
    const isAfterGap = newestEnd < record.start && rule.gapHorizon > 0;
    if (isAfterGap) {
      const [follows] = [...delivered.values()].find(([, end]) => end === newestEnd) ?? [];
      gaps = [...gaps, ...newGaps({ start: newestEnd, end: record.start }, now, rule.gapRetryDelay, follows)];
    }
    if (gaps.length > 0) gaps = fillGap(gaps, record);
    if (record.end > newestEnd) {
      newestEnd = record.end;
      cursor = record.endTime;
    }
    const { start, fingerprint } = record;
    delivered.set(start, fingerprint === undefined ? [start, record.end] : [start, record.end, fingerprint]);
  }
  const knownFrom = Math.max(ledger.knownFrom, newestEnd - Math.max(MIN_MEMORY, rule.lookBack));
  return { cursor, knownFrom, delivered: [...delivered.values()].filter(([, end]) => end > knownFrom), gaps };
}

/** The ledger once these gaps were retried: scheduled runs retry them again after a longer delay. */
export function withRetriedGaps(ledger: Ledger, retried: readonly Gap[], now: number): Ledger {
  return retried.length > 0 ? { ...ledger, gaps: retriedGaps(ledger.gaps, retried, now) } : ledger;
}

/**
 * The ledger after every owed window was read. Old time without records counts as empty, so that a site without data does
 * not cost more requests every day; gaps that are too old are given up.
 */
export function settle(ledger: Ledger, now: number, rule: LedgerRule): Ledger {
  const gaps = openGaps(ledger.gaps, now, rule.gapHorizon);
  const oldest = now - Math.max(rule.gapHorizon, MAX_WINDOW);
  if (cursorTime(ledger) < oldest) return { ...ledger, gaps, cursor: new Date(oldest).toISOString() };
  return gaps.length === ledger.gaps.length ? ledger : { ...ledger, gaps };
}

/**
 * A short hash that shows whether a record has changed. It ignores the times, which are compared separately, and the order
 * of fields.
 */
function fingerprintOf({ record }: TimedRecord): string {
  const { startTime: _start, endTime: _end, ...content } = record;
  return createHash("sha1").update(JSON.stringify(content, sorted)).digest("base64url").slice(0, 8);
}

function sorted(_name: string, value: unknown): unknown {
  if (!isServiceObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
