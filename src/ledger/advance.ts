// The ledger after records were delivered: the cursor moves, gaps open and close.
import { HOUR } from "../time-units";
import type { DueRecord } from "./due-record";
import { boundedGaps, fillGaps, newGap, seamOf } from "./gaps";
import { cursorText, cursorTime, frontier, type Ledger, type LedgerRule, type Moment } from "./ledger";

/** Delivered records are remembered for at least this long. */
const MIN_MEMORY = HOUR;
/** A week of records of five minutes; shorter records are remembered for less long, whatever the look-back. */
const MAX_REMEMBERED = 2016;
const MAX_BYTES = 19_000;
const BYTES_OF_RECORD = 5;
const BYTES_OF_GAP = 32;

/** The ledger once these records are delivered, including any gaps between them. */
export function withRecords(
  ledger: Ledger,
  due: readonly DueRecord[],
  { now, watched }: Moment,
  rule: LedgerRule,
): Ledger {
  if (due.length === 0) return ledger;
  const delivered = new Map(ledger.delivered.map((entry) => [entry[0], entry]));
  let { cursor, gaps } = ledger;
  let newestEnd = cursorTime(ledger);
  let knownTo = frontier(ledger);
  for (const record of due) {
    if (record.start - knownTo > seamOf(record)) {
      const [follows] = [...delivered.values()].find(([, end]) => end === knownTo) ?? [];
      const notice = { now, watched, delay: rule.gapRetryDelay, follows };
      gaps = [...gaps, newGap({ start: knownTo, end: record.start }, notice)];
    }
    if (gaps.length > 0) gaps = fillGaps(gaps, record);
    if (record.end > newestEnd) {
      newestEnd = record.end;
      cursor = cursorText(record);
    }
    knownTo = Math.max(knownTo, record.end);
    const { start, fingerprint } = record;
    delivered.set(start, fingerprint === undefined ? [start, record.end] : [start, record.end, fingerprint]);
  }
  // Without filling, only silence is asked for again, which has no end yet.
  if (rule.gapHorizon === 0) gaps = gaps.filter(({ start }) => start >= newestEnd);
  const knownFrom = Math.max(ledger.knownFrom, newestEnd - Math.max(MIN_MEMORY, rule.lookBack));
  const remembered = [...delivered.values()].filter(([, end]) => end > knownFrom);
  return bounded({ ...ledger, cursor, knownFrom, delivered: remembered, gaps });
}

/** Keeps the stored form below 20 KiB: it needs about so many bytes for a record with a fingerprint, and for a gap. */
function bounded(ledger: Ledger): Ledger {
  const delivered = ledger.delivered.slice(-MAX_REMEMBERED);
  const [oldest] = delivered;
  const isCut = oldest !== undefined && delivered.length < ledger.delivered.length;
  const hashed = delivered.filter(([, , fingerprint]) => fingerprint !== undefined).length;
  const mostGaps = Math.floor((MAX_BYTES - hashed * BYTES_OF_RECORD) / BYTES_OF_GAP);
  const gaps = boundedGaps(ledger.gaps, mostGaps);
  return { ...ledger, delivered, gaps, ...(isCut && { knownFrom: Math.max(ledger.knownFrom, oldest[0]) }) };
}
