// Which records of a response are due, in what phase, and the ledger once they are delivered.
import { digestOf } from "../canonical-json";
import type { RecordPhase } from "../decisions/freshness";
import { TimedRecord } from "../models/telemetry";
import { groupedBy } from "../objects";
import { HOUR, isInWindow, isoTime, type TimeWindow } from "../time-units";
import { boundedGaps, fillGaps, newGap, owedGap } from "./gaps";
import {
  cursorText,
  cursorTime,
  type Delivered,
  FINGERPRINT_LENGTH,
  isLong,
  type Ledger,
  type LedgerMoment,
  type LedgerRule,
  memoryFor,
  silenceOf,
  usualOf,
} from "./ledger";
import { storedLedger } from "./stored-ledger";

/** A record to send, with everything needed about it afterwards, because the flow may change the record. */
export class DueRecord extends TimedRecord {
  /**
   * @param phase `live` may be `catchup` by the time it is sent
   * @param cursor of its series once it is sent
   * @param isBeside whether the answer has another record that begins at the same time: neither replaces the other
   * @param fingerprint hash of its content, where records are re-read for corrections
   */
  constructor(
    { record, start, end }: TimedRecord,
    readonly phase: RecordPhase,
    readonly cursor: string,
    readonly isBeside = false,
    readonly fingerprint?: string,
  ) {
    super(record, start, end);
  }
}

/** So long without records is silence, which is requested once more when it is over, whether gaps are filled or not. */
const MIN_SILENCE = HOUR;
/** The stored form of a ledger stays below 20 KiB: short records are remembered for less long than a long look-back. */
const MAX_BYTES = 19_000;
/** So many records and gaps always have room. */
const FEW = 150;

/**
 * The records of a response that are due. A record that ends in the future waits. A delivered record is due again, as
 * `revised`, if its end moved later or, within the look-back, if its end or its values changed. One that was missed is due as
 * `late`.
 * @param response ordered by start
 */
export function dueRecords(
  ledger: Ledger,
  response: readonly TimedRecord[],
  { window, now, rule }: { window: TimeWindow; now: number; rule: LedgerRule },
): DueRecord[] {
  const lastKnown = ledger.delivered.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
  // As a rule, all records are newer.
  let delivered: Map<number, Delivered[]> | undefined;
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  let index = -1;
  for (const timed of response) {
    index += 1;
    const { start, end } = timed;
    if (end > now || !isInWindow(timed, window)) continue;
    const fingerprint = rule.lookBack > 0 ? fingerprintOf(timed) : undefined;
    const known =
      start > lastKnown ? undefined : (delivered ??= groupedBy(ledger.delivered, startOf)).get(start);
    let phase: RecordPhase | undefined;
    if (known) phase = isRevised(ledger, known, timed, fingerprint) ? "revised" : undefined;
    else if (end > newestEnd) phase = "live";
    else if (start >= ledger.knownFrom || isInGap(ledger, timed)) phase = "late";
    if (!phase) continue;
    if (end > newestEnd) {
      newestEnd = end;
      cursor = cursorText(timed);
    }
    const isBeside = response[index - 1]?.start === start || response[index + 1]?.start === start;
    due.push(new DueRecord(timed, phase, cursor, isBeside, fingerprint));
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
  const all = [...ledger.delivered];
  let isInOrder = true;
  for (const { start, end, fingerprint } of due) {
    isInOrder &&= start > (all.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY);
    all.push(fingerprint === undefined ? [start, end] : [start, end, fingerprint]);
  }
  // As a rule, all records are newer, and take no other's place.
  const delivered = isInOrder ? undefined : groupedBy(ledger.delivered, startOf);
  const usual = usualOf(isInOrder ? all : all.toSorted(byTimes));
  let { cursor, gaps, silentFrom } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const [index, record] of due.entries()) {
    const { start, end, isBeside } = record;
    const before = delivered?.get(start);
    const entry = all[ledger.delivered.length + index];
    const beside = isBeside ? (before ?? []).filter(([, known]) => known !== end) : [];
    if (entry) delivered?.set(start, [...beside, entry]);
    const longest = before && !isBeside ? Math.max(...before.map(([, known]) => known)) : end;
    if (end < longest) {
      // What a record that became shorter leaves free is open again: no position lies beyond what the service shows.
      const newest = Math.max(...[...(delivered?.values() ?? [])].flat().map((known) => known[1]));
      gaps = [...gaps, newGap({ start: end, end: longest }, moment, rule)];
      if (newest >= newestEnd) continue;
      newestEnd = newest;
      cursor = isoTime(newest);
      gaps = gaps.flatMap((gap) => (gap.start < newest ? [{ ...gap, end: Math.min(gap.end, newest) }] : []));
      continue;
    }
    if (end <= newestEnd) {
      gaps = fillGaps(gaps, record, usual);
      continue;
    }
    if (silentFrom !== undefined) {
      const silent = { start: silentFrom, end: Math.min(newestEnd, start) };
      if (silent.start < silent.end) gaps = [...gaps, { ...owedGap(silent, moment, rule), pause: 0 }];
      silentFrom = undefined;
    }
    const from = newestEnd;
    const silence = gaps.find((gap) => gap.start >= from);
    if (silence) gaps = gaps.filter((gap) => gap !== silence);
    const missing = { start: newestEnd, end: start };
    const isSilence = silence !== undefined || (!rule.fillsGaps && start - newestEnd >= MIN_SILENCE);
    if (start - newestEnd > usual.break)
      gaps = [...gaps, (isSilence ? owedGap : newGap)(missing, moment, rule)];
    if (isLong(record, usual))
      gaps = [...gaps, newGap({ start: Math.max(start, newestEnd), end }, moment, rule)];
    newestEnd = end;
    cursor = cursorText(record);
  }
  const memory = Math.max(memoryFor(usual), rule.lookBack);
  const knownFrom = Math.min(Math.max(ledger.knownFrom, newestEnd - memory), newestEnd);
  const remembered = delivered ? [...delivered.values()].flat().toSorted(byTimes) : all;
  return bounded({ ...ledger, cursor, silentFrom, knownFrom, delivered: remembered, gaps });
}

function startOf([start]: Delivered): number {
  return start;
}

function byTimes(one: Delivered, other: Delivered): number {
  return one[0] - other[0] || one[1] - other[1];
}

/** @param fingerprint absent without a look-back: values are then not compared, and an earlier end is an earlier version */
function isRevised(
  ledger: Ledger,
  known: readonly Delivered[],
  timed: TimeWindow,
  fingerprint: string | undefined,
): boolean {
  const same = known.find(([, end]) => end === timed.end);
  if (same) return fingerprint !== undefined && same[2] !== undefined && same[2] !== fingerprint;
  const isLater = known.every(([, end]) => end < timed.end);
  return isLater || fingerprint !== undefined || isInGap(ledger, timed);
}

function isInGap({ gaps }: Ledger, timed: TimeWindow): boolean {
  return gaps.some((gap) => isInWindow(timed, gap));
}

/**
 * Forgets what is neither recent nor at a gap and, until the rest is small, what is oldest: a record between gaps that were joined
 * may be delivered once more.
 */
function bounded(ledger: Ledger): Ledger {
  const { knownFrom } = ledger;
  const silence = silenceOf(ledger);
  const between = ledger.gaps.filter((gap) => gap !== silence);
  const recent = ledger.delivered.filter((known) => known[1] > knownFrom);
  // As a rule: after each portion of records, so it has to be fast.
  if (ledger.gaps.length === 0 && recent.length <= FEW) return { ...ledger, delivered: recent };
  for (let share = 1; ; share *= 0.9) {
    const newest = recent.slice(-Math.ceil(recent.length * share));
    const most = Math.max(Math.ceil(between.length * share), FEW);
    const gaps = [...boundedGaps(between, most), ...(silence ? [silence] : [])];
    // A record that ends where a gap begins may grow into it, and one that covers it is no news.
    const isAtGap = ([start, end]: Delivered): boolean =>
      gaps.some((gap) => start < gap.end && end >= gap.start);
    const kept = new Set(newest);
    const older = ledger.delivered.filter((entry) => !kept.has(entry) && isAtGap(entry));
    for (const entry of older.slice(-Math.ceil(older.length * share))) kept.add(entry);
    const delivered = ledger.delivered.filter((entry) => kept.has(entry));
    const first = newest.length < recent.length ? newest[0]?.[0] : undefined;
    const small = { ...ledger, knownFrom: Math.max(knownFrom, first ?? knownFrom), delivered, gaps };
    if (delivered.length + gaps.length <= FEW) return small;
    if (JSON.stringify(storedLedger(small)).length <= MAX_BYTES) return small;
  }
}

/**
 * A short hash that shows whether a record has changed. It ignores the times, which are compared separately, and the order
 * of fields.
 */
function fingerprintOf({ record }: TimedRecord): string {
  const { startTime: _start, endTime: _end, ...content } = record;
  return digestOf(content, "base64url").slice(0, FINGERPRINT_LENGTH);
}
