// The stored form of a ledger: short, because it is written with every record, and checked when read, as it may be damaged.
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import type { StateForm } from "../stored-state";
import { type Gap, isSampled } from "./gaps";
import { type Delivered, FINGERPRINT_LENGTH, type Ledger } from "./ledger";

/** Plain JSON. Times are in milliseconds; those within lists are in seconds, relative to the item before. */
export interface StoredLedger {
  cursor: string;
  knownFrom: number;
  /**
   * `[distance, length, count or fingerprints, break?]`: records of equal length, with equal breaks between them; the first
   * distance is from knownFrom.
   */
  delivered: (readonly (number | string)[])[];
  /**
   * `[distance, length, noticed, nextAsk, pause, follows?, turn?]`: the first distance and nextAsk are from the cursor, noticed
   * is from the item before (null = not yet), follows is the distance back to the start of the record before (null = none),
   * and turn is a number of days.
   */
  gaps: (readonly (number | null)[])[];
  watched: number;
}

const SECOND = 1000;
/** Records in all; more than a week of minutes must be an error. */
const MAX_COUNT = 7 * 24 * 60;

export function storedLedger({ cursor, knownFrom, delivered, gaps, watched }: Ledger): StoredLedger {
  return {
    cursor,
    knownFrom,
    delivered: storedRuns(delivered, knownFrom),
    gaps: storedGaps(gaps, parseServiceTime(cursor) ?? 0),
    watched: Math.round(watched),
  };
}

/** The stored ledger, or undefined if it is not valid. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (!isServiceObject(stored)) return undefined;
  const { cursor, knownFrom, delivered, gaps, watched } = stored;
  const time = parseServiceTime(cursor);
  if (typeof cursor !== "string" || time === undefined || !isNumber(knownFrom) || !isNumber(watched))
    return undefined;
  const read = { delivered: readRuns(delivered, knownFrom), gaps: readGaps(gaps, time) };
  if (!read.delivered || !read.gaps) return undefined;
  return { cursor, knownFrom, watched, delivered: read.delivered, gaps: read.gaps };
}

export const LEDGER_FORM: StateForm<Ledger> = { read: readLedger, toStored: storedLedger };

/** Records of equal length, with equal breaks between them. */
interface Run {
  start: number;
  end: number;
  length: number;
  /** Undefined until there are two records. */
  pause: number | undefined;
  count: number;
  fingerprints: string | undefined;
}

function storedRuns(delivered: readonly Delivered[], from: number): StoredLedger["delivered"] {
  const runs: Run[] = [];
  for (const [start, end, fingerprint] of delivered) {
    const last = runs.at(-1);
    if (last && end - start === last.length && isNext(last, start, fingerprint)) {
      last.pause = start - last.end;
      last.end = end;
      last.count += 1;
      if (fingerprint !== undefined) last.fingerprints += fingerprint;
    } else {
      runs.push({ start, end, length: end - start, pause: undefined, count: 1, fingerprints: fingerprint });
    }
  }
  let before = from;
  return runs.map(({ start, end, length, pause = 0, count, fingerprints }) => {
    const distance = start - before;
    before = end;
    const breaks = pause === 0 ? [] : [pause / SECOND];
    return [distance / SECOND, length / SECOND, fingerprints ?? count, ...breaks];
  });
}

function isNext({ end, pause, fingerprints }: Run, start: number, fingerprint: string | undefined): boolean {
  const isSameKind = (fingerprint === undefined) === (fingerprints === undefined);
  return isSameKind && (pause === undefined || pause === start - end);
}

function readRuns(stored: unknown, from: number): Delivered[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const delivered: Delivered[] = [];
  let before = from;
  for (const item of stored as unknown[]) {
    const [distance, length, records, pause = 0] = listOf(item);
    const fingerprints = typeof records === "string" ? records : undefined;
    const count = fingerprints === undefined ? records : fingerprints.length / FINGERPRINT_LENGTH;
    if (!isNumber(distance) || !isNumber(length) || !isNumber(pause)) return undefined;
    if (!isNumber(count) || delivered.length + count > MAX_COUNT) return undefined;
    for (let index = 0; index < count; index += 1) {
      const start = before + (index === 0 ? distance : pause) * SECOND;
      before = start + length * SECOND;
      const first = index * FINGERPRINT_LENGTH;
      const fingerprint = fingerprints?.slice(first, first + FINGERPRINT_LENGTH);
      delivered.push(fingerprint === undefined ? [start, before] : [start, before, fingerprint]);
    }
  }
  return delivered;
}

function storedGaps(gaps: readonly Gap[], cursor: number): StoredLedger["gaps"] {
  let before: { end: number; noticed: number } = { end: cursor, noticed: 0 };
  return gaps.map((gap) => {
    const { start, end, noticed, nextAsk, pause } = gap;
    // Bookkeeping needs no milliseconds.
    const rounded = (time: number): number => Math.round(time / SECOND);
    const sinceNoticed = noticed === undefined ? null : rounded(noticed - before.noticed);
    const times = [(start - before.end) / SECOND, (end - start) / SECOND];
    before = { end, noticed: before.noticed + (sinceNoticed ?? 0) * SECOND };
    return [...times, sinceNoticed, rounded(nextAsk - cursor), rounded(pause), ...storedRest(gap)];
  });
}

/** What most gaps do not have. */
function storedRest(gap: Gap): (number | null)[] {
  const back = gap.follows === undefined ? null : (gap.start - gap.follows) / SECOND;
  if (gap.turn !== undefined && isSampled(gap)) return [back, gap.turn];
  return back === null ? [] : [back];
}

function readGaps(stored: unknown, cursor: number): Gap[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const gaps: Gap[] = [];
  let before = { end: cursor, noticed: 0 };
  for (const item of stored as unknown[]) {
    const [distance, length, sinceNoticed, nextAsk, pause, back, turn] = listOf(item);
    if (!isNumber(distance) || !isNumber(length) || !isNumber(nextAsk) || !isNumber(pause)) return undefined;
    if (sinceNoticed !== null && !isNumber(sinceNoticed)) return undefined;
    const start = before.end + distance * SECOND;
    before = { end: start + length * SECOND, noticed: before.noticed + (sinceNoticed ?? 0) * SECOND };
    const { end } = before;
    const noticed = sinceNoticed === null ? undefined : before.noticed;
    gaps.push({
      start,
      end,
      noticed,
      nextAsk: cursor + nextAsk * SECOND,
      pause: pause * SECOND,
      ...(isNumber(back) && { follows: start - back * SECOND }),
      ...(isCount(turn) && { turn }),
    });
  }
  return gaps;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
