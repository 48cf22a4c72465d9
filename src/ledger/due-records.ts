// Which records of a response are due, in what phase, and the ledger once they are delivered.
import { digestOf } from "../canonical-json";
import { isFresh, type RecordPhase } from "../decisions/freshness";
import type { TimedRecord } from "../models/telemetry";
import { HOUR } from "../time-units";
import { boundedGaps, fillGaps, newGap, toleratedBreak } from "./gaps";
import {
  cursorText,
  cursorTime,
  type Delivered,
  FINGERPRINT_LENGTH,
  frontier,
  type Ledger,
  type LedgerRule,
  type LedgerMoment,
} from "./ledger";
import { isInWindow, type TimeWindow } from "./window";

/** A record to send, with everything needed about it afterwards, because the flow may change the record. */
export interface DueRecord extends TimedRecord {
  readonly phase: RecordPhase;
  /** The cursor of its series once it is sent. */
  readonly cursor: string;
  /** Hash of its content, where records are re-read for corrections. */
  readonly fingerprint?: string;
}

/** Delivered records are remembered for at least this long. */
const MIN_MEMORY = HOUR;
/** A week of records of five minutes; shorter records are remembered for less long, whatever the look-back. */
const MAX_REMEMBERED = 2016;
/** The stored form of a ledger stays below 20 KiB: it needs about so many bytes for a fingerprint, and for a gap. */
const MAX_BYTES = 19_000;
const BYTES_OF_FINGERPRINT = 5;
const BYTES_OF_GAP = 32;

/** The records as they are sent now: a live record that is no longer fresh is `catchup`. */
export function asOf(due: readonly DueRecord[], now: number, maxAgeMinutes: number): DueRecord[] {
  return due.map((record) =>
    record.phase === "live" && !isFresh(record.end, now, maxAgeMinutes)
      ? { ...record, phase: "catchup" }
      : record,
  );
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
  const delivered = deliveredByStart(ledger);
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const timed of response) {
    if (timed.end > now || !isInWindow(timed, window)) continue;
    const fingerprint = rule.lookBack > 0 ? fingerprintOf(timed) : undefined;
    const known = delivered.get(timed.start);
    let phase: RecordPhase | undefined;
    if (known) phase = isRevised(known, timed, fingerprint) ? "revised" : undefined;
    else if (growsIntoGap(ledger, timed)) phase = "revised";
    else if (timed.end > newestEnd) phase = isFresh(timed.end, now, rule.maxAgeMinutes) ? "live" : "catchup";
    else if (isOwed(ledger, timed)) phase = "late";
    if (!phase) continue;
    if (timed.end > newestEnd) {
      newestEnd = timed.end;
      cursor = cursorText(timed);
    }
    // Spreads would take longer than all the rest of this.
    const record = { record: timed.record, start: timed.start, end: timed.end, phase, cursor };
    due.push(fingerprint === undefined ? record : { ...record, fingerprint });
  }
  return due;
}

/** The ledger once these records are delivered, including any gaps between them. */
export function withRecords(
  ledger: Ledger,
  due: readonly DueRecord[],
  moment: LedgerMoment,
  rule: LedgerRule,
): Ledger {
  if (due.length === 0) return ledger;
  const delivered = deliveredByStart(ledger);
  let { cursor, gaps } = ledger;
  let newestEnd = cursorTime(ledger);
  let knownTo = frontier(ledger);
  for (const record of due) {
    const { start, end, fingerprint } = record;
    if (start - knownTo > toleratedBreak(record)) {
      const [follows] = [...delivered.values()].find((known) => known[1] === knownTo) ?? [];
      gaps = [...gaps, newGap({ start: knownTo, end: start }, moment, rule, follows)];
    }
    if (gaps.length > 0) gaps = fillGaps(gaps, record);
    if (end > newestEnd) {
      newestEnd = end;
      cursor = cursorText(record);
    }
    knownTo = Math.max(knownTo, end);
    delivered.set(start, fingerprint === undefined ? [start, end] : [start, end, fingerprint]);
  }
  // Without filling, only silence is requested again, which has no end yet.
  if (rule.gapHorizon === 0) gaps = gaps.filter(({ start }) => start >= newestEnd);
  const knownFrom = Math.max(ledger.knownFrom, newestEnd - Math.max(MIN_MEMORY, rule.lookBack));
  const remembered = [...delivered.values()].filter(([, end]) => end > knownFrom);
  return bounded({ ...ledger, cursor, knownFrom, delivered: remembered, gaps });
}

function deliveredByStart({ delivered }: Ledger): Map<number, Delivered> {
  return new Map(delivered.map((entry) => [entry[0], entry]));
}

/** @param fingerprint absent without a look-back: values are then not compared */
function isRevised([, end, known]: Delivered, timed: TimeWindow, fingerprint: string | undefined): boolean {
  const isChanged = known !== undefined && fingerprint !== undefined && known !== fingerprint;
  return timed.end > end || (isChanged && timed.end === end);
}

/** Whether it is a record that was delivered long ago, and now reaches into the gap behind it. */
function growsIntoGap({ gaps }: Ledger, { start, end }: TimeWindow): boolean {
  return gaps.some((gap) => gap.follows === start && end > gap.start);
}

function isOwed({ knownFrom, gaps }: Ledger, timed: TimeWindow): boolean {
  return timed.start >= knownFrom || gaps.some((gap) => isInWindow(timed, gap));
}

function bounded(ledger: Ledger): Ledger {
  const delivered = ledger.delivered.slice(-MAX_REMEMBERED);
  const [oldest] = delivered;
  const isCut = oldest !== undefined && delivered.length < ledger.delivered.length;
  const fingerprints = delivered.filter(([, , fingerprint]) => fingerprint !== undefined).length;
  const mostGaps = Math.floor((MAX_BYTES - fingerprints * BYTES_OF_FINGERPRINT) / BYTES_OF_GAP);
  const gaps = boundedGaps(ledger.gaps, mostGaps);
  return { ...ledger, delivered, gaps, ...(isCut && { knownFrom: Math.max(ledger.knownFrom, oldest[0]) }) };
}

/**
 * A short hash that shows whether a record has changed. It ignores the times, which are compared separately, and the order
 * of fields.
 */
function fingerprintOf({ record }: TimedRecord): string {
  const { startTime: _start, endTime: _end, ...content } = record;
  return digestOf(content, "base64url").slice(0, FINGERPRINT_LENGTH);
}
