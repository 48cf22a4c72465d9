// The ledger of one series of records: what has been delivered, so that every record comes once, and in order.
import { parseServiceTime } from "../models/time";
import { isFresh, type RecordPhase } from "./freshness";
import type { TimedRecord } from "./timed-record";
import { HOUR, isInWindow, LONGEST_WINDOW, MINUTE, type TimeWindow } from "./window";

/** Plain data: it is stored as JSON. */
export interface Ledger {
  /** End of the newest delivered record, as the service wrote it: the next request starts there. */
  readonly cursor: string;
  /** Start and end of the records delivered last, in milliseconds: they are known when they come again. */
  readonly delivered: readonly (readonly [start: number, end: number])[];
}

/** A record that is to be sent, and where the series stands once it is. */
export interface DueRecord extends TimedRecord {
  phase: RecordPhase;
  cursor: string;
}

/** How far past now a request reaches, so that clocks that differ a little lose nothing. */
const AHEAD = 5 * MINUTE;
const REMEMBERED = HOUR;

/** A ledger that owes everything from `start` (milliseconds) on. */
export function openLedger(start: number): Ledger {
  return { cursor: new Date(start).toISOString(), delivered: [] };
}

/** The ledger that was stored, or undefined when it is none: damaged, or written by something else. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  const { cursor, delivered } = stored as Partial<Record<keyof Ledger, unknown>>;
  if (typeof cursor !== "string" || parseServiceTime(cursor) === undefined || !Array.isArray(delivered))
    return undefined;
  const readable = delivered.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite),
  );
  return readable ? { cursor, delivered: delivered as [number, number][] } : undefined;
}

/** Where the next request starts, in milliseconds. */
export function cursorTime(ledger: Ledger): number {
  return parseServiceTime(ledger.cursor) ?? 0;
}

/**
 * What is to be asked for next, from the cursor on or, further in the same run, from `after` on; at most 24 hours.
 * Undefined when the run has reached now.
 */
export function owedWindow(ledger: Ledger, now: number, after = -Infinity): TimeWindow | undefined {
  const start = Math.max(cursorTime(ledger), after);
  const end = Math.min(start + LONGEST_WINDOW, now + AHEAD);
  return start < end && after < now ? { start, end } : undefined;
}

/**
 * Which records of an answer are due. A record that ends in the future waits. A record that was delivered is due again
 * only with a later end, as `revised`.
 */
export function dueRecords(
  ledger: Ledger,
  answer: TimedRecord[],
  { window, now, maxAgeMinutes }: { window: TimeWindow; now: number; maxAgeMinutes: number },
): DueRecord[] {
  const deliveredEnds = new Map(ledger.delivered);
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const timed of answer) {
    const deliveredEnd = deliveredEnds.get(timed.start);
    const isNews = deliveredEnd === undefined || timed.end > deliveredEnd;
    if (timed.end > now || !isNews || !isInWindow(timed, window)) continue;
    if (timed.end > newestEnd) {
      newestEnd = timed.end;
      cursor = timed.record.endTime;
    }
    const firstPhase = isFresh(timed.end, now, maxAgeMinutes) ? "live" : "catchup";
    due.push({ ...timed, cursor, phase: deliveredEnd === undefined ? firstPhase : "revised" });
  }
  return due;
}

/** The ledger once these due records are delivered. */
export function withDelivered(ledger: Ledger, due: DueRecord[]): Ledger {
  const last = due.at(-1);
  if (!last) return ledger;
  const ends = new Map(ledger.delivered);
  for (const { start, end } of due) ends.set(start, end);
  const moved = { cursor: last.cursor, delivered: [...ends] };
  const oldest = cursorTime(moved) - REMEMBERED;
  return { ...moved, delivered: moved.delivered.filter(([, end]) => end > oldest) };
}

/**
 * The ledger after every owed window was read: what lies further back than `horizon` (milliseconds) and had no records
 * is taken as empty, so that a site without data does not cost more requests from day to day.
 */
export function settle(ledger: Ledger, now: number, horizon: number): Ledger {
  const oldest = now - Math.max(horizon, LONGEST_WINDOW);
  return cursorTime(ledger) < oldest ? { ...ledger, cursor: new Date(oldest).toISOString() } : ledger;
}
